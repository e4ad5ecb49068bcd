package io.github.stablecut.internal.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.ConflictException;
import io.github.stablecut.TypeMismatchException;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.index.EffectBudget;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.materializer.BackgroundFolding;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.internal.truncation.SegmentTimes;
import io.github.stablecut.internal.watch.CommitFeed;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.SegmentStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The way of a commit: its time and its place in journal and index under the commit lock, which is
 * held for memory operations only, and its visibility once its group is durable. So lock order,
 * journal order and time order are one, and what is at or before the last durable commit, the
 * <em>stable vector</em>, is complete. Thread-safe.
 *
 * <p>Invariant: durable before visible. The stable vector passes no commit before its record counts
 * as committed by the journal, and no one reads above the stable vector.
 */
final class Committer {
  /**
   * A stable vector older than this is moved on before it is used, so that time passes without
   * commits too.
   */
  private static final Duration STABLE_AGE = Duration.ofSeconds(1);

  private final int dataCentre;
  private final HybridClock clock;
  private final ObjectIndex index;
  private final SegmentTimes segments;
  private final EffectBudget budget;
  private final Journal journal;
  private final CommitFeed feed;
  private final ReentrantLock commitLock = new ReentrantLock();

  /** The commit time handed out last; not stable while its record is on its way. */
  @GuardedBy("commitLock")
  private long lastCommitTime;

  @GuardedBy("commitLock")
  private Optional<ClockRequest> ceilingOnItsWay = Optional.empty();

  /** What a new reader sees. */
  private volatile VectorClock stable;

  /** The newest commit that is durable; the stable vector may be of a later time. */
  private volatile VectorClock lastDurable;

  private volatile @Nullable Maintenance maintenance;
  private volatile @Nullable BackgroundFolding folding;

  /** When an object lacks a multiple of so many effects, it is folded. */
  private volatile int foldAfter = Integer.MAX_VALUE;

  /**
   * Reads the journal into the index.
   *
   * @param files where the journal lies; closed with it, and if this throws
   * @param manifest what is in checkpoints
   */
  @SuppressWarnings("this-escape") // the listener is called only after records are appended
  Committer(
      PartitionOptions options,
      ObjectIndex index,
      SegmentTimes segments,
      SegmentStore files,
      Manifest manifest) {
    this.dataCentre = options.dataCentre();
    this.index = index;
    this.segments = segments;
    this.budget = new EffectBudget(options.memory().effectBytes());
    Recovered recovered = new Recovered(index, segments);
    this.journal = Journal.open(files, options.journal().options(), new Visibility(), recovered);
    long checkpointed = manifest.checkpointTime().get(dataCentre);
    this.lastCommitTime = Math.max(recovered.lastCommit(), checkpointed);
    long latest = Math.max(lastCommitTime, Math.max(recovered.ceiling(), manifest.clockCeiling()));
    this.clock = new HybridClock(options.clock(), options.number(), latest);
    this.stable = VectorClock.of(lastCommitTime);
    this.lastDurable = stable;
    this.feed = new CommitFeed(stable);
  }

  Journal journal() {
    return journal;
  }

  /** What becomes visible, for those who watch. */
  CommitFeed feed() {
    return feed;
  }

  VectorClock stable() {
    return stable;
  }

  VectorClock lastDurable() {
    return lastDurable;
  }

  /** The newest commit, durable or not. */
  VectorClock lastCommit() {
    commitLock.lock();
    try {
      return VectorClock.of(lastCommitTime).join(lastDurable);
    } finally {
      commitLock.unlock();
    }
  }

  /** A time above all that the clock may have told. */
  long clockCeiling() {
    return Math.max(clock.ceiling(), clock.tick(0));
  }

  /** From now on objects are folded in the background. */
  void tell(BackgroundFolding told, int after) {
    folding = told;
    foldAfter = after;
  }

  /** From now on maintenance is told of commits. */
  void tell(Maintenance told) {
    maintenance = told;
  }

  /**
   * A snapshot with all that was committed before this call, whose time is at most about a second
   * old. Now and then, if nothing is committed, it blocks for a sync of the journal.
   */
  VectorClock snapshot() {
    if (ageMillis(stable) > STABLE_AGE.toMillis()) {
      advance();
    }
    return stable;
  }

  /** The newest snapshot, after moving on to the present if that is needed to reach a vector. */
  VectorClock snapshotAfter(VectorClock vector) {
    if (!vector.isAtOrBefore(stable)) {
      advance();
    }
    return snapshot();
  }

  private long ageMillis(VectorClock vector) {
    return Timestamp.epochMillis(clock.machineTime())
        - Timestamp.epochMillis(vector.get(dataCentre));
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
      if (lastCommitTime > stable.get(dataCentre)) {
        return Optional.empty();
      }
      long now = clock.promise();
      if (clock.isNearCeiling(now)
          && ceilingOnItsWay.map(ClockRequest::ceiling).orElse(0L) <= clock.ceiling()) {
        ClockRequest request = new ClockRequest(clock.ceilingAbove(now));
        journal.append(request);
        ceilingOnItsWay = Optional.of(request);
      }
      if (now < clock.ceiling()) {
        stable = stable.with(dataCentre, now);
        return Optional.empty();
      }
      return ceilingOnItsWay;
    } finally {
      commitLock.unlock();
    }
  }

  /**
   * Hands a transaction to the journal; it is committed when the record is.
   *
   * @throws TypeMismatchException if an object in memory has another type; nothing was changed
   * @throws ConflictException if it has to be certified and another one was faster; likewise
   */
  void submit(CommitRequest request) {
    awaitCapacity();
    commitLock.lock();
    try {
      journal.ensureWritable(request.length());
      checkTypes(request);
      certify(request);
      lastCommitTime = clock.tick(Math.max(lastCommitTime, request.snapshot().max()));
      request.stamp(lastCommitTime, index, foldAfter);
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
   * Refuses a transaction whose snapshot lacks a commit on an object that it has certified, durable
   * or not. Of what left memory after the snapshot nothing is known, so it is refused too: that
   * takes a transaction that is older than the last two checkpoints.
   */
  private void certify(CommitRequest request) {
    for (Bytes id : request.certified()) {
      boolean isUnchanged =
          index.floor().isAtOrBefore(request.snapshot())
              && index
                  .get(id)
                  .map(entry -> entry.content().lacksNothing(request.snapshot()))
                  .orElse(true);
      if (!isUnchanged) {
        throw new ConflictException(
            "object %s was changed after the transaction's snapshot of %s: run the transaction again"
                .formatted(id, Timestamp.format(request.snapshot().max())));
      }
    }
  }

  /** Makes groups visible once the journal has them. Confined to the thread that commits groups. */
  private final class Visibility implements GroupListener {
    @Override
    public void committed(List<PendingRecord> group) {
      long newest = 0;
      long bytes = 0;
      long effects = 0;
      for (PendingRecord pending : group) {
        bytes += pending.length();
        if (pending instanceof CommitRequest request) {
          effects += request.place(budget);
          segments.add(request.position(), request.commit().vector());
          newest = request.commit().time();
        } else if (pending instanceof ClockRequest request) {
          clock.raiseCeiling(request.ceiling());
        }
      }
      if (newest > 0) {
        lastDurable = lastDurable.with(dataCentre, newest);
        feed.publish(group, lastDurable);
        stable = stable.with(dataCentre, newest);
        feed.wake();
      }
      for (PendingRecord pending : group) {
        ((AwaitedRecord) pending).succeed();
      }
      fold(group);
      Maintenance told = maintenance;
      if (told != null && effects > 0) {
        told.committed(bytes, effects);
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
        ((AwaitedRecord) pending).fail(failure);
      }
    }
  }
}
