package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.clock.PartitionClock;
import io.github.stablecut.internal.index.EffectBudget;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.materializer.BackgroundFolding;
import io.github.stablecut.internal.record.ClockRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionsRecord;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.internal.truncation.SegmentTimes;
import io.github.stablecut.internal.watch.CommitFeed;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.JournalStatus;
import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.Position;
import io.github.stablecut.journal.SegmentStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The way of a commit: its time and its place in journal and index under the commit lock, which is
 * held for memory operations only, and its visibility once its group is durable. So lock order,
 * journal order and time order are one. Thread-safe.
 *
 * <p>Invariant: durable before visible. The stable vector passes no commit before its record is
 * durable, and no one reads above the stable vector without waiting for what is not durable.
 */
final class Committer {
  private final SegmentTimes segments;
  private final EffectBudget budget;
  private final CommitFeed feed;
  private final PartitionClock clock;

  /** The ceiling in the manifest that the partition was opened with. */
  private final long openedCeiling;

  private final StableTime times;
  private final Sequencer sequencer;

  private volatile boolean hasThread;
  private volatile @Nullable Maintenance maintenance;
  private volatile @Nullable BackgroundFolding folding;

  /** When an object lacks a multiple of so many effects, it is folded. */
  private final int foldAfter;

  /**
   * What commits go through beside the journal.
   *
   * @param lock the commit lock
   * @param horizon refuses what is too old to be committed
   * @param clock gives the times
   */
  record Parts(
      ReentrantLock lock,
      Horizon horizon,
      HybridClock clock,
      ObjectIndex index,
      SegmentTimes segments,
      SessionTable sessions) {}

  /**
   * Reads the journal into the index.
   *
   * @param recovered takes what is found in the journal
   * @param files where the journal lies; closed with it, and if this throws
   * @param manifest what is in checkpoints
   */
  @SuppressWarnings("this-escape") // the listener is called only after records are appended
  Committer(
      PartitionOptions options,
      Parts parts,
      Recovered recovered,
      SegmentStore files,
      Manifest manifest) {
    this.segments = parts.segments;
    this.budget = new EffectBudget(options.memory().effectBytes());
    this.foldAfter = options.foldAfter();
    VectorClock checkpoint = manifest.checkpointTime();
    Journal journal = Journal.open(files, options.journal().options(), new Visibility(), recovered);
    long lastCommit = Math.max(recovered.lastCommit(), checkpoint.get(options.dataCentre()));
    long latest = Math.max(lastCommit, recovered.lastTime(manifest.clockCeiling()));
    this.clock = new PartitionClock(parts.clock, options.number(), latest);
    this.openedCeiling = manifest.clockCeiling();
    this.feed = new CommitFeed(VectorClock.of(lastCommit));
    List<JournalStatus.Segment> present = journal.status().segments();
    segments.known(present.get(present.size() - 1).number());
    this.times = new StableTime(options.dataCentre(), clock, lastCommit, openedCeiling);
    this.sequencer =
        new Sequencer(
            parts.lock,
            times,
            parts.index,
            journal,
            parts.horizon,
            new Certifier(parts.index, times),
            parts.sessions,
            new Progress());
  }

  Sequencer sequencer() {
    return sequencer;
  }

  Journal journal() {
    return sequencer.journal();
  }

  /** What becomes visible, for those who watch. */
  CommitFeed feed() {
    return feed;
  }

  StableTime times() {
    return times;
  }

  /** Whether the journal has failed, so that what is not durable never will be. */
  boolean hasFailed() {
    return journal().hasFailed();
  }

  /** The newest commit, durable or not. */
  VectorClock lastCommit() {
    sequencer.lock().lock();
    try {
      return times.lastCommit();
    } finally {
      sequencer.lock().unlock();
    }
  }

  /**
   * A time above all that the clock may have told, at or above what was returned before, also by
   * earlier openings. After an orderly end the clock begins below the ceiling of the last manifest.
   */
  long clockCeiling() {
    return Math.max(openedCeiling, Math.max(clock.ceiling(), clock.tick(0)));
  }

  /** Has the journal say up to where the clock has told times, in place of how far it may. */
  void endClock() {
    sequencer.lock().lock();
    try {
      OptionalLong told = times.end();
      if (told.isPresent()) {
        journal()
            .append(new SavedRecord(RecordKind.CLOCK, ClockRecord.encodeLast(told.getAsLong())));
      }
    } finally {
      sequencer.lock().unlock();
    }
  }

  /** From now on objects are folded in the background. */
  void tell(BackgroundFolding told) {
    folding = told;
  }

  /** From now on maintenance is told of commits, and at once of those that were recovered. */
  void tell(Maintenance told, Recovered recovered) {
    if (recovered.effects() > 0) {
      told.committed(recovered.bytes(), recovered.effects());
    }
    maintenance = told;
  }

  /**
   * Makes sure that later commits are above a vector, and the vector stable if nothing is in its
   * way. Now and then it blocks for a sync of the journal.
   *
   * @throws io.github.stablecut.error.ReopenException if the journal has failed and the vector is
   *     above what it has promised
   */
  void promise(VectorClock vector) {
    for (Optional<ClockRequest> awaited = tryPromise(vector);
        awaited.isPresent();
        awaited = tryPromise(vector)) {
      await(awaited.get());
    }
  }

  private Optional<ClockRequest> tryPromise(VectorClock vector) {
    sequencer.lock().lock();
    try {
      return times.promise(vector, journal());
    } finally {
      sequencer.lock().unlock();
    }
  }

  /**
   * Hands a transaction to the journal; it is committed when the record is.
   *
   * @return the commit time, if the session's request was executed before; then nothing was done
   * @throws io.github.stablecut.error.TypeMismatchException if an object in memory has another
   *     type; nothing was changed
   * @throws io.github.stablecut.error.ConflictException if it has to be certified and another one
   *     was faster; likewise
   */
  Optional<Long> submit(CommitRequest request) {
    awaitCapacity();
    sequencer.lock().lock();
    try {
      Optional<RequestId> id = request.request();
      if (id.isPresent()) {
        Optional<Long> executed = sequencer.sessions().find(id.get(), times.nowMillis());
        if (executed.isPresent()) {
          return executed;
        }
      }
      sequencer.ensureMayCommit(request);
      enter(request);
      return Optional.empty();
    } finally {
      sequencer.lock().unlock();
    }
  }

  /**
   * Hands a transaction to the journal that has read what is not durable yet.
   *
   * @param isUnchanged whether what it has read is the newest still; asked under the commit lock
   * @return whether it was
   */
  boolean submitIf(CommitRequest request, BooleanSupplier isUnchanged) {
    awaitCapacity();
    sequencer.lock().lock();
    try {
      if (!isUnchanged.getAsBoolean()) {
        return false;
      }
      sequencer.ensureMayCommit(request);
      enter(request);
      return true;
    } finally {
      sequencer.lock().unlock();
    }
  }

  /**
   * Gives a request its time, its effects to the index and its record to the journal: all of it, or
   * the journal fails. Under the commit lock.
   */
  private void enter(CommitRequest request) {
    long time = times.tick(request.snapshot().max());
    try {
      request.stamp(time, sequencer.index(), foldAfter);
      request.request().ifPresent(executed -> sequencer.sessions().put(executed, time));
      journal().append(request);
    } catch (Throwable e) {
      sequencer.halfDone(e);
      throw e;
    }
  }

  /**
   * Waits while too much is on its way, or too much is in memory that no checkpoint has. An
   * interrupt does not end the wait; its flag stays set.
   *
   * @throws io.github.stablecut.error.CheckpointBacklogException if checkpoints did not catch up in
   *     time
   */
  void awaitCapacity() {
    Maintenance told = maintenance;
    if (told != null && !hasFailed()) {
      told.awaitCapacity();
    }
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
   * Writes down again what sessions did last, so that the segments that have it may go, and waits
   * until that is durable.
   */
  void saveSessions() {
    List<SavedRecord> records = new ArrayList<>();
    sequencer.lock().lock();
    try {
      List<SessionsRecord.Entry> live = sequencer.sessions().live(times.nowMillis());
      for (int from = 0; from < live.size(); from += SessionsRecord.MAX_ENTRIES) {
        int to = Math.min(live.size(), from + SessionsRecord.MAX_ENTRIES);
        SavedRecord record =
            new SavedRecord(RecordKind.SESSIONS, SessionsRecord.encode(live.subList(from, to)));
        records.add(record);
        journal().append(record);
      }
    } finally {
      sequencer.lock().unlock();
    }
    records.forEach(this::await);
  }

  /** From now on a thread flushes groups; before, whoever waits for one does. */
  void threadStarts() {
    hasThread = true;
  }

  private void await(AwaitedRecord record) {
    if (!hasThread) {
      journal().flushGroup();
    }
    record.await();
  }

  /** Makes groups visible once the journal has them. Confined to the thread that flushes groups. */
  private final class Visibility implements GroupListener {
    @Override
    public void durable(List<PendingRecord> group) {
      long newest = 0;
      long bytes = 0;
      long effects = 0;
      for (PendingRecord pending : group) {
        bytes += pending.length();
        if (pending instanceof CommitRequest request) {
          effects += request.place(budget);
          segments.add(request.position(), request.commit().vector());
          if (request.preparedAt() != 0) {
            segments.add(request.preparedAt(), request.commit().vector());
          }
          newest = Math.max(newest, request.commit().time());
        } else if (pending instanceof ClockRequest request) {
          clock.raiseCeiling(request.ceiling());
        }
      }
      if (newest > 0) {
        feed.publish(group, VectorClock.of(newest));
        times.durable(newest);
      }
      for (PendingRecord pending : group) {
        succeed((Settled) pending);
      }
      segments.known(Position.segment(group.get(group.size() - 1).position()));
      feed.wake();
      sequencer.progress().changed();
      fold(group);
      Maintenance told = maintenance;
      if (told != null && effects > 0) {
        told.committed(bytes, effects);
      }
    }

    /** One that fails keeps no other from being told; but what it was to do is not done. */
    private void succeed(Settled record) {
      try {
        record.succeed();
      } catch (Throwable e) {
        journal().fail(e);
      }
    }

    private void fold(List<PendingRecord> group) {
      BackgroundFolding told = folding;
      if (told != null) {
        for (PendingRecord pending : group) {
          if (pending instanceof CommitRequest request && !request.toFold().isEmpty()) {
            told.request(request.toFold());
          }
        }
      }
    }

    @Override
    public void failed(List<PendingRecord> group, JournalFailedException failure) {
      for (PendingRecord pending : group) {
        fail((Settled) pending, failure);
      }
      sequencer.progress().changed();
    }

    private void fail(Settled record, JournalFailedException failure) {
      try {
        record.fail(failure);
      } catch (Throwable e) {
        // The others are told all the same.
      }
    }
  }
}
