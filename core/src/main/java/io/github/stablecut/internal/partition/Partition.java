package io.github.stablecut.internal.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.TypeMismatchException;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.index.EffectBudget;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.JournalReplay;
import io.github.stablecut.internal.materializer.Materializer;
import io.github.stablecut.internal.materializer.VersionSource;
import io.github.stablecut.journal.GroupCommitter;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.JournalStatus;
import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.SegmentStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A set of objects with one journal, one clock and one commit lock. Thread-safe.
 *
 * <p>A commit takes its time and its place in journal and index under the commit lock, which is
 * held for memory operations only; then it waits for its group. So lock order, journal order and
 * time order are one, and what is at or before the last durable commit, the <em>stable vector</em>,
 * is complete.
 *
 * <p>Invariant: durable before visible. No effect is read by another transaction before its record
 * counts as committed by the journal; every read is at or before the stable vector.
 */
public final class Partition implements AutoCloseable {
  /**
   * A stable vector older than this is moved on before it is used, so that time passes without
   * commits too.
   */
  private static final Duration STABLE_AGE = Duration.ofSeconds(1);

  private final PartitionOptions options;
  private final HybridClock clock;
  private final ObjectIndex index;
  private final Journal journal;
  private final GroupCommitter committer;
  private final VersionSource versions;
  private final EffectBudget budget;
  private final ReentrantLock commitLock = new ReentrantLock();

  /** The commit time handed out last; not stable while its record is on its way. */
  @GuardedBy("commitLock")
  private long lastCommitTime;

  private volatile VectorClock stable;

  /**
   * Opens a partition: reads its journal, and only then is there anything to call.
   *
   * @param segments where the journal lies; closed with the partition, and if this throws
   */
  public static Partition open(PartitionOptions options, SegmentStore segments) {
    return new Partition(options, segments);
  }

  @SuppressWarnings("this-escape") // the listener is called only after records are appended
  private Partition(PartitionOptions options, SegmentStore segments) {
    this.options = options;
    this.budget = new EffectBudget(options.effectBytes());
    this.index = new ObjectIndex();
    Recovered recovered = new Recovered(index);
    this.journal = Journal.open(segments, options.journal(), new Visibility(), recovered);
    this.clock = new HybridClock(options.clock(), options.number(), recovered.latest());
    this.stable = VectorClock.of(recovered.lastCommit());
    this.lastCommitTime = recovered.lastCommit();
    this.versions = new Materializer(index, journal);
    this.committer = GroupCommitter.start(journal, options.sync());
  }

  /**
   * The vector of the last commit that counts as durable: what a reader sees that needs no newer
   * time.
   */
  public VectorClock stable() {
    return stable;
  }

  /**
   * A snapshot with all that was committed before this call, whose time is at most about a second
   * old. Now and then, if nothing is committed, it blocks for a sync of the journal.
   */
  public VectorClock snapshot() {
    if (ageMillis(stable) > STABLE_AGE.toMillis()) {
      advance();
    }
    return stable;
  }

  /** The newest snapshot, after moving on to the present if that is needed to reach a vector. */
  public VectorClock snapshotAfter(VectorClock vector) {
    if (!vector.isAtOrBefore(stable)) {
      advance();
    }
    return snapshot();
  }

  private long ageMillis(VectorClock vector) {
    return Timestamp.epochMillis(clock.machineTime())
        - Timestamp.epochMillis(vector.get(options.dataCentre()));
  }

  /**
   * Moves the stable vector to the present, unless a commit is on its way, which will move it too.
   */
  private void advance() {
    try {
      for (Optional<ClockRequest> awaited = tryAdvance();
          awaited.isPresent();
          awaited = tryAdvance()) {
        awaited.get().await();
      }
    } catch (ReopenException e) {
      // Without a journal no later time can be promised. Reading goes on at the one there is.
    }
  }

  /**
   * Moves the stable vector on if the clock's ceiling allows it.
   *
   * @return what has to be durable before another try
   */
  private Optional<ClockRequest> tryAdvance() {
    commitLock.lock();
    try {
      if (lastCommitTime > stable.get(options.dataCentre())) {
        return Optional.empty();
      }
      long now = clock.promise();
      Optional<ClockRequest> higher = Optional.empty();
      if (clock.isNearCeiling(now)) {
        ClockRequest request = new ClockRequest(clock.ceilingAbove(now));
        journal.append(request);
        higher = Optional.of(request);
      }
      if (now < clock.ceiling()) {
        stable = stable.with(options.dataCentre(), now);
        return Optional.empty();
      }
      return higher;
    } finally {
      commitLock.unlock();
    }
  }

  /** What an object was at a snapshot, which must be at or before {@link #stable()}. */
  public Optional<Version> versionAt(Bytes id, VectorClock snapshot) {
    return versions.versionAt(id, snapshot);
  }

  /**
   * Commits a transaction and waits until it is durable and visible.
   *
   * @return its commit vector
   * @throws TypeMismatchException if an object has another type; nothing was changed
   * @throws io.github.stablecut.journal.DiskFullException if there is no room; nothing was changed
   * @throws JournalFailedException if the journal failed; then nobody knows before the next open
   */
  public VectorClock commit(CommitRequest request) {
    submit(request);
    request.await();
    return request.commit().vector();
  }

  /** As {@link #commit}, without waiting; the stage is completed on the executor. */
  public CompletionStage<VectorClock> commitAsync(CommitRequest request, Executor executor) {
    CompletionStage<Void> stage = request.completeOn(executor);
    submit(request);
    return stage.thenApply(done -> request.commit().vector());
  }

  private void submit(CommitRequest request) {
    awaitCapacity();
    commitLock.lock();
    try {
      journal.ensureWritable(request.length());
      checkTypes(request);
      lastCommitTime = clock.tick(Math.max(lastCommitTime, request.snapshot().max()));
      request.stamp(lastCommitTime, index);
      journal.append(request);
    } finally {
      commitLock.unlock();
    }
  }

  /** Waits while too much is on its way. An interrupt does not end the wait; its flag stays set. */
  private void awaitCapacity() {
    boolean interrupted = false;
    while (true) {
      try {
        journal.awaitCapacity();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void checkTypes(CommitRequest request) {
    for (CommitRequest.ObjectWrite write : request.writes()) {
      index
          .get(write.id())
          .ifPresent(entry -> TypeMismatchException.check(write.id(), write.type(), entry.type()));
    }
  }

  /**
   * The replay of the whole journal as a source of versions: the plainest there is, and very slow.
   */
  public VersionSource replay() {
    return new JournalReplay(journal);
  }

  /** The number of objects that anything was ever done to. */
  public int objects() {
    return index.size();
  }

  /** Figures of the journal. */
  public JournalStatus journalStatus() {
    return journal.status();
  }

  /** Makes durable what was submitted, and closes the journal. */
  @Override
  public void close() {
    committer.close();
  }

  /** Makes groups visible once the journal has them. Confined to the thread that commits groups. */
  private final class Visibility implements GroupListener {
    @Override
    public void committed(List<PendingRecord> group) {
      long newest = 0;
      for (PendingRecord pending : group) {
        if (pending instanceof CommitRequest request) {
          request.place(budget);
          newest = request.commit().time();
        } else if (pending instanceof ClockRequest request) {
          clock.raiseCeiling(request.ceiling());
        }
      }
      if (newest > 0) {
        stable = stable.with(options.dataCentre(), newest);
      }
      for (PendingRecord pending : group) {
        ((AwaitedRecord) pending).succeed();
      }
    }

    @Override
    public void failed(List<PendingRecord> group, JournalFailedException failure) {
      for (PendingRecord pending : group) {
        ((AwaitedRecord) pending).fail(failure);
      }
    }
  }
}
