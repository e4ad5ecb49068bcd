package io.github.stablecut.internal.partition.commit;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.clock.PartitionClock;
import io.github.stablecut.internal.index.EffectBudget;
import io.github.stablecut.internal.materializer.BackgroundFolding;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.internal.watch.CommitFeed;
import io.github.stablecut.journal.GroupCommitter;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.JournalStatus;
import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.segment.Position;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Commits transactions: the {@link Sequencer} orders them, and this makes them visible once their
 * group is durable. Thread-safe.
 *
 * <p>Invariant: durable before visible. The stable vector passes no commit before its record is
 * durable, and readers above the stable vector wait for commits that are not durable.
 */
public final class Committer {
  private final int number;
  private final PartitionState state;
  private final EffectBudget budget;
  private final CommitFeed feed;
  private final PartitionClock clock;

  /** The clock ceiling in the manifest at the opening. */
  private final long openedCeiling;

  /** The entries of other data centres that local commits of earlier openings depend on. */
  private final VectorClock readBefore;

  private final StableTime times;
  private final Sequencer sequencer;

  /** Flushes groups while no thread does. */
  private volatile Runnable flushing;

  private volatile boolean hasThread;
  private volatile @Nullable GroupCommitter groups;
  private volatile Runnable onCommits = () -> {};
  private volatile @Nullable Maintenance maintenance;
  private volatile @Nullable BackgroundFolding folding;

  /**
   * The parts of a partition that commits use.
   *
   * @param horizon refuses commits from snapshots that are too old
   * @param clock issues the times
   * @param last the last transactions of all data centres, according to the newest checkpoint
   */
  public record Components(Horizon horizon, HybridClock clock, VectorClock last) {}

  /**
   * Continues after the records that are applied to the partition's state, which are all of the
   * journal's.
   *
   * @param manifest the newest checkpoint
   */
  @SuppressWarnings("this-escape") // the listener is called only after records are appended
  public Committer(
      PartitionOptions options, Components parts, PartitionLog log, Manifest manifest) {
    this.number = options.number();
    this.state = log.state();
    this.budget = new EffectBudget(options.memory().effectBytes());
    VectorClock checkpoint = manifest.checkpointTime();
    Journal journal = log.journal();
    log.setListener(new Visibility());
    RecordedTimes recorded = state.times();
    LocalDataCentre local = options.local();
    long readElsewhere = recorded.readElsewhere();
    VectorClock lastCommits =
        local.raise(
            checkpoint.join(recorded.reached()), Math.max(recorded.lastCommit(), readElsewhere));
    long latest =
        Math.max(LocalDataCentre.floorOf(lastCommits), recorded.greatest(manifest.clockCeiling()));
    this.clock = new PartitionClock(parts.clock, options.number(), latest);
    this.openedCeiling = manifest.clockCeiling();
    this.readBefore = recorded.read();
    this.feed = new CommitFeed(lastCommits, options.memory().feedBytes());
    List<JournalStatus.Segment> present = journal.status().segments();
    state.segments().known(present.get(present.size() - 1).number());
    VectorClock last = local.raise(parts.last.join(recorded.received()), recorded.lastCommit());
    this.times =
        new StableTime(
            local,
            clock,
            new StableTime.RecoveredTimes(lastCommits, last, readElsewhere, checkpoint),
            openedCeiling);
    this.sequencer = new Sequencer(times, journal, parts.horizon, state, recorded.received());
    this.flushing = journal::flushGroup;
  }

  public Sequencer sequencer() {
    return sequencer;
  }

  public Journal journal() {
    return sequencer.journal();
  }

  /** The entries of other data centres that local commits of earlier openings depend on. */
  public VectorClock readBefore() {
    return readBefore;
  }

  /** The durable commits, for watches. */
  public CommitFeed feed() {
    return feed;
  }

  public StableTime times() {
    return times;
  }

  /** Whether the journal has failed, so that pending commits never become durable. */
  public boolean hasFailed() {
    return journal().hasFailed();
  }

  /**
   * A time above all that the clock may have issued; it never decreases, even across openings.
   * After an orderly end the clock starts below the ceiling of the last manifest.
   */
  public long clockCeiling() {
    return Math.max(openedCeiling, Math.max(clock.ceiling(), clock.tick(0)));
  }

  /** Sets the listener that runs after each durable group. */
  public void setCommitListener(Runnable listener) {
    onCommits = listener;
  }

  /** Sets the background folding of objects. */
  public void setFolding(BackgroundFolding newFolding) {
    folding = newFolding;
  }

  /**
   * Sets the maintenance. It is notified of each durable group, and at once of the recovered
   * commits.
   */
  public void setMaintenance(Maintenance newMaintenance) {
    if (state.effects() > 0) {
      newMaintenance.committed(state.bytes(), state.effects());
    }
    maintenance = newMaintenance;
  }

  /**
   * Ensures that later commits are above a vector, which makes it stable unless a pending
   * transaction is below it. Occasionally waits for a sync of the journal.
   *
   * @throws io.github.stablecut.error.ReopenException if the journal has failed and the vector is
   *     above the promised ones
   */
  public void promise(VectorClock vector) {
    for (Optional<ClockRequest> awaited = sequencer.promise(vector);
        awaited.isPresent();
        awaited = sequencer.promise(vector)) {
      await(awaited.get());
    }
  }

  /**
   * Like {@link #promise}, but never waits.
   *
   * @return whether it succeeded; if not, a record has to become durable first
   */
  @CanIgnoreReturnValue
  public boolean tryPromise(VectorClock vector) {
    return sequencer.promise(vector).isEmpty();
  }

  /**
   * Like {@link #promise}, for a read at a snapshot. Needs no durable record once a journal without
   * replicas has failed, as in {@link StableTime#promiseUntilReopening}.
   */
  void promiseToReader(VectorClock snapshot) {
    while (true) {
      try {
        Optional<ClockRequest> awaited = sequencer.promiseToReader(snapshot);
        if (awaited.isEmpty()) {
          return;
        }
        await(awaited.get());
      } catch (JournalFailedException e) {
        if (!sequencer.hasFailedForGood()) {
          throw e;
        }
      }
    }
  }

  /** Like {@link #promiseToReader}, unless that would wait; returns whether it is promised. */
  boolean tryPromiseToReader(VectorClock snapshot) {
    try {
      return sequencer.tryPromiseToReader(snapshot);
    } catch (JournalFailedException e) {
      // The journal has just failed.
      return false;
    }
  }

  /** Like {@link Sequencer#commit}, after waiting for capacity. */
  public Optional<Long> submit(CommitRequest request) {
    awaitCapacity();
    return sequencer.commit(request);
  }

  /** Like {@link Sequencer#commitIf}, after waiting for capacity. */
  boolean submitIf(CommitRequest request, BooleanSupplier isUnchanged) {
    awaitCapacity();
    return sequencer.commitIf(request, isUnchanged);
  }

  /** Whether {@link #awaitCapacity} would not wait, and the journal has not failed. */
  public boolean hasCapacity() {
    Maintenance current = maintenance;
    return (current == null || current.hasCapacity()) && journal().hasCapacity() && !hasFailed();
  }

  /**
   * Backpressure: waits while the journal's queue or the checkpoint backlog is full. Ignores
   * interrupts and keeps the interrupt flag.
   *
   * @throws io.github.stablecut.error.CheckpointBacklogException if checkpoints do not catch up in
   *     time
   */
  public void awaitCapacity() {
    Maintenance current = maintenance;
    if (current != null && !hasFailed()) {
      current.awaitCapacity();
    }
    awaitQueue();
  }

  /** Whether {@link #awaitCapacity} would wait for checkpoints to catch up. */
  public boolean isBacklogFull() {
    Maintenance current = maintenance;
    return current != null && !hasFailed() && !current.hasCapacity();
  }

  /** Waits while the journal's queue is full. Keeps the interrupt flag. */
  public void awaitQueue() {
    boolean interrupted = false;
    while (true) {
      try {
        journal().awaitCapacity();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Rewrites the last requests of sessions, so that their segments may be dropped, and waits until
   * the new records are durable.
   */
  public void saveSessions() {
    sequencer.saveSessions().forEach(this::await);
  }

  /** Submits a record to the journal, and waits until it is durable. */
  public void record(SavedRecord record) {
    append(record);
    await(record);
  }

  /** Submits a record to the journal without waiting for its durability. */
  public void append(SavedRecord record) {
    sequencer.run(() -> journal().append(record));
  }

  /**
   * Waits until a majority confirms that no other replica of the partition has committed anything
   * before this call.
   *
   * @throws PartitionUnavailableException if a majority does not confirm it
   */
  public void confirm() {
    if (!journal().replicas().confirm().toCompletableFuture().join()) {
      throw new PartitionUnavailableException(
          "another replica of partition %d may lead already, so this one can't read the latest state: try again"
              .formatted(number));
    }
  }

  /** Declares that a thread flushes groups from now on; before, waiting threads do. */
  public void useFlushingThread() {
    hasThread = true;
  }

  /**
   * Sets what makes all appended records durable or fails them, on the thread of a caller that
   * waits, while no thread flushes groups.
   */
  public void flushBy(Runnable newFlushing) {
    flushing = newFlushing;
  }

  /** Sets the committer of groups, which callers may help. */
  public void setGroups(GroupCommitter committer) {
    groups = committer;
  }

  /**
   * Makes submitted records durable, on the caller's thread if that is faster ({@link
   * GroupCommitter#help}). Called after each record that has promised help.
   */
  public void help() {
    GroupCommitter committer = groups;
    if (committer != null) {
      committer.help();
    } else if (!hasThread) {
      flushing.run();
    }
  }

  /** Waits until a submitted record is durable. */
  public void await(AwaitedRecord record) {
    if (!hasThread) {
      flushing.run();
    }
    record.await();
  }

  /** Makes groups visible once the journal has them. Confined to the thread that flushes groups. */
  private final class Visibility implements GroupListener {
    @Override
    public void durable(List<PendingRecord> records) {
      DurableGroup group = new DurableGroup(state, budget, clock);
      long bytes = 0;
      for (int i = 0; i < records.size(); i++) {
        PendingRecord record = records.get(i);
        bytes += record.length();
        ((SequencedRecord) record).durable(group);
      }
      VectorClock newest = group.newestCommit();
      VectorClock received = group.received();
      if (received.size() > 0) {
        feed.publish(
            records, record -> ((SequencedRecord) record).committed(), newest.join(received));
        times.received(received, group.readElsewhere());
        times.durable(newest);
      } else if (newest.size() > 0) {
        feed.publish(records, record -> ((SequencedRecord) record).committed(), newest);
        times.durable(newest);
      }
      for (int i = 0; i < records.size(); i++) {
        succeed((SequencedRecord) records.get(i));
      }
      state.segments().known(Position.segment(records.get(records.size() - 1).position()));
      feed.wake();
      sequencer.progress().changed();
      onCommits.run();
      BackgroundFolding currentFolding = folding;
      if (currentFolding != null && !group.toFold().isEmpty()) {
        group.toFold().forEach(currentFolding::request);
      }
      Maintenance current = maintenance;
      if (current != null && group.effects() > 0) {
        current.committed(bytes, group.effects());
      }
    }

    /** Completes a record. A failure fails the journal, but not the other records. */
    private void succeed(SequencedRecord record) {
      try {
        record.succeed();
      } catch (Throwable e) {
        journal().fail(e);
      }
    }

    @Override
    public void failed(List<PendingRecord> records, JournalFailedException failure) {
      // Without an iterator, which takes memory.
      for (int i = 0; i < records.size(); i++) {
        fail((SequencedRecord) records.get(i), failure);
      }
      sequencer.progress().changed();
    }

    private void fail(SequencedRecord record, JournalFailedException failure) {
      try {
        record.fail(failure);
      } catch (Throwable e) {
        // The other records are completed nevertheless.
      }
    }
  }
}
