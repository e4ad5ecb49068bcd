package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.record.ClockRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionsRecord;
import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalClosedException;
import io.github.stablecut.journal.LogReplicas;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Orders a partition's records. The commit lock is private to this class and held only for memory
 * operations. Under it a record gets its time, takes effect in the {@link PartitionState}, and is
 * appended to the journal. So times, effects and journal have the same order. Thread-safe.
 *
 * <p>{@link #commit}, {@link #commitIf}, {@link #promise}, {@link #endClock} and {@link
 * #saveSessions} are such steps. Other classes pass their steps to {@link #run} and {@link #call},
 * and append their records with {@link #append}.
 */
public final class Sequencer {
  /** Maximum wait of {@link #tryCommit} for the commit lock. */
  private static final long MOMENT_NANOS = 50_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final StableTime times;
  private final Journal journal;
  private final Horizon horizon;
  private final PartitionState state;
  private final Certifier certifier;
  private final ProgressSignal progress = new ProgressSignal();

  /**
   * The last transaction of each other data centre, durable or submitted. Guarded by the commit
   * lock.
   */
  private VectorClock ordered;

  /**
   * The last transaction of each that the journal has; 0 where none is left. Guarded by the commit
   * lock.
   */
  private VectorClock inJournal;

  /**
   * @param inJournal the last transactions of other data centres that the journal has
   */
  Sequencer(
      StableTime times,
      Journal journal,
      Horizon horizon,
      PartitionState state,
      VectorClock inJournal) {
    this.times = times;
    this.journal = journal;
    this.horizon = horizon;
    this.state = state;
    this.certifier = new Certifier(state, times);
    this.ordered = times.received();
    this.inJournal = inJournal;
  }

  public StableTime times() {
    return times;
  }

  public Journal journal() {
    return journal;
  }

  /** Runs an action once it is confirmed that this replica still led after this call began. */
  public void ifStillLeading(Runnable what) {
    FireAndForget.whenDone(
        journal.replicas().confirm(),
        (isLeading, failure) -> {
          if (failure == null && isLeading) {
            what.run();
          }
        });
  }

  /** The state of the partition; its methods document which of them need the lock. */
  public PartitionState state() {
    return state;
  }

  /** Certifies transactions. Under the commit lock. */
  public Certifier certifier() {
    return certifier;
  }

  public ProgressSignal progress() {
    return progress;
  }

  /** Executes a step under the commit lock. */
  public void run(Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  /** Executes a step under the commit lock, and returns its result. */
  public <T> T call(Supplier<T> step) {
    lock.lock();
    try {
      return step.get();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The numbers of the next records of several partitions, all at one moment.
   *
   * @param all always in the same order, to prevent deadlock
   */
  public static long[] nextAppended(List<Sequencer> all) {
    all.forEach(one -> one.lock.lock());
    try {
      return all.stream().mapToLong(one -> one.journal.nextAppended()).toArray();
    } finally {
      all.forEach(one -> one.lock.unlock());
    }
  }

  /** Waits until the current holder of the commit lock has released it. */
  public void passThrough() {
    lock.lock();
    try {
      // Empty: the previous holder has released the lock.
    } finally {
      lock.unlock();
    }
  }

  /**
   * Commits a transaction on this partition alone: it is committed when its record is durable.
   *
   * @return the commit time of the session's request if it was executed before; then nothing was
   *     done
   * @throws io.github.stablecut.error.TypeMismatchException if an object in memory has another
   *     type; nothing was changed
   * @throws ConflictException if certification fails; nothing was changed
   */
  Optional<Long> commit(CommitRequest request) {
    Optional<ConflictException> conflict = certifier.conflictInRanges(request);
    lock.lock();
    try {
      Optional<RequestId> id = request.request();
      if (id.isPresent()) {
        Optional<Long> executed = executed(id.get());
        if (executed.isPresent()) {
          return executed;
        }
      }
      ensureMayCommit(request, conflict);
      appendCommit(request, times.tick(request.snapshot()));
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Like {@link #commit}, for a transaction that is no session's request and certifies nothing.
   * Gives up if the commit lock is not free soon.
   *
   * @return true if it is committed once its record is durable; if false, nothing was changed
   */
  public boolean tryCommit(CommitRequest request) {
    if (!tryLock()) {
      return false;
    }
    try {
      ensureMayCommit(request);
      appendCommit(request, times.tick(request.snapshot()));
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Takes the commit lock if it is free soon, as it mostly is. */
  private boolean tryLock() {
    try {
      return lock.tryLock() || lock.tryLock(MOMENT_NANOS, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Commits a transaction that has read non-durable commits.
   *
   * @param isUnchanged whether its reads are still the latest; called under the commit lock
   * @return whether it was
   */
  boolean commitIf(CommitRequest request, BooleanSupplier isUnchanged) {
    lock.lock();
    try {
      if (!isUnchanged.getAsBoolean()) {
        return false;
      }
      ensureMayCommit(request);
      appendCommit(request, times.tick(request.snapshot()));
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The outcome of receiving a transaction of another data centre. */
  public enum Arrival {
    /** The transaction was ordered. */
    NEW,
    /** The transaction is here already; nothing was changed. */
    KNOWN,
    /** An earlier transaction may be missing here; nothing was changed. */
    GAP,
    /**
     * The journal has others between it and the one before it: two instances of its data centre
     * have diverged. Nothing was changed.
     */
    FORK
  }

  /**
   * Orders a transaction of another data centre after its earlier ones.
   *
   * @throws io.github.stablecut.error.ReopenException if the journal has failed; nothing was
   *     changed
   */
  public Arrival receive(CommitRequest received) {
    int source = received.dataCentre();
    long previous = received.facts().previous().orElseThrow();
    long time = received.time();
    lock.lock();
    try {
      long last = ordered.get(source);
      if (time <= last) {
        return Arrival.KNOWN;
      }
      if (previous > Math.max(last, times.reached(source))) {
        return Arrival.GAP;
      }
      if (previous < inJournal.get(source)) {
        return Arrival.FORK;
      }
      journal.ensureWritable(received.length());
      times.observe(time);
      appendCommit(received, time);
      ordered = ordered.with(source, time);
      inJournal = inJournal.with(source, time);
      return Arrival.NEW;
    } finally {
      lock.unlock();
    }
  }

  /** The last transaction of another data centre, durable or submitted; 0 if there is none. */
  public long ordered(int source) {
    return call(() -> ordered.get(source));
  }

  /**
   * The last transaction of another data centre that the journal has, durable or submitted; 0 if
   * none is left.
   */
  public long inJournal(int source) {
    return call(() -> inJournal.get(source));
  }

  /** The last transactions of all other data centres, durable or submitted. */
  public VectorClock ordered() {
    return call(() -> ordered);
  }

  /** The commit time of a session's request that was executed before. Under the commit lock. */
  public Optional<Long> executed(RequestId request) {
    return state.sessions().find(request, times.nowMillis());
  }

  /**
   * Like {@link #ensureMayCommit(CommitRequest)}.
   *
   * @param conflict the result of {@link Certifier#conflictInRanges}
   */
  public void ensureMayCommit(CommitRequest part, Optional<ConflictException> conflict) {
    if (conflict.isPresent()) {
      throw conflict.get();
    }
    ensureMayCommit(part);
  }

  /**
   * Checks that a part may enter the index and the journal now. The caller holds the commit lock
   * until it has.
   *
   * @throws io.github.stablecut.error.StablecutException if not; nothing was changed
   * @throws IllegalArgumentException if the transaction belongs to another data centre, for which
   *     this partition assigns no times; or if it has read transactions that have not arrived here,
   *     as a restart derives from its snapshot what is here
   */
  public void ensureMayCommit(CommitRequest part) {
    if (part.dataCentre() != state.local().number()) {
      throw new IllegalArgumentException(
          "data centre %2$d can't commit a transaction of data centre %1$d"
              .formatted(part.dataCentre(), state.local().number()));
    }
    if (!state.local().othersAreAtOrBefore(part.snapshot(), times.newest())) {
      throw new IllegalArgumentException(
          "a transaction has read at %s, but transactions of other data centres have arrived only up to %s"
              .formatted(Timestamp.format(part.snapshot()), Timestamp.format(times.newest())));
    }
    ensureTaken(part.length());
    part.request().ifPresent(id -> state.sessions().ensureRoom(id, times.nowMillis()));
    horizon.checkCommit(part.snapshot());
    certifier.check(part);
  }

  private void ensureTaken(int bytes) {
    journal.ensureWritable(bytes);
    if (bytes > journal.largestRecord()) {
      throw new LimitExceededException(
          "a transaction takes %,d bytes on a partition with replicas, and at most %,d are allowed, a thirty-second of the leader's heap: commit in parts, or give all nodes a larger heap"
              .formatted(bytes, journal.largestRecord()));
    }
  }

  /**
   * Applies a transaction at a time and submits its record to the journal: both, or the journal
   * fails. Under the commit lock.
   */
  void appendCommit(CommitRequest part, long time) {
    try {
      state.commit(part, time);
      journal.append(part);
    } catch (Throwable e) {
      failHalfDone(e);
      throw e;
    }
  }

  /**
   * Applies a record and submits it to the journal: both, or the journal fails. Under the commit
   * lock.
   */
  public void append(SequencedRecord record, Runnable effect) {
    try {
      effect.run();
      journal.append(record);
    } catch (Throwable e) {
      failHalfDone(e);
      throw e;
    }
  }

  /**
   * Fails the journal after an error between the first change of memory and the submission of the
   * record: memory is ahead of the journal. Readers see nothing of it, as the stable vector passes
   * no commit that is not durable. Does nothing if the journal is closed: then memory is no longer
   * used.
   */
  private void failHalfDone(Throwable cause) {
    if (!(cause instanceof JournalClosedException)) {
      fail(cause);
    }
  }

  /** Fails the journal and wakes the threads that wait for progress. */
  public void fail(Throwable cause) {
    journal.fail(cause);
    progress.changed();
  }

  /** A vector with the entries of other data centres lowered to what snapshots have. */
  public VectorClock shared(VectorClock vector) {
    return horizon.shared(state.local(), vector);
  }

  /** The last own commit, durable or not; 0 if there is none. */
  public long lastOwn() {
    return call(times::lastOwn);
  }

  /** The newest commit, durable or not, or a later time. */
  public VectorClock lastCommit() {
    return call(times::lastCommit);
  }

  /**
   * Ensures that later commits are above a vector, which makes it stable unless a pending
   * transaction is below it.
   *
   * @return the record that must be durable before a retry; empty on success
   */
  public Optional<ClockRequest> promise(VectorClock vector) {
    lock.lock();
    try {
      return times.promise(vector, journal);
    } finally {
      lock.unlock();
    }
  }

  /** Like {@link #promise}, for a read at a snapshot, which a failed journal serves too. */
  Optional<ClockRequest> promiseToReader(VectorClock snapshot) {
    return call(() -> promiseInOrder(snapshot));
  }

  /**
   * Like {@link #promiseToReader}, without blocking.
   *
   * @return false if the commit lock is held, or a record must be durable first
   */
  boolean tryPromiseToReader(VectorClock snapshot) {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      return promiseInOrder(snapshot).isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private Optional<ClockRequest> promiseInOrder(VectorClock snapshot) {
    if (hasFailedForGood()) {
      times.promiseUntilReopening(snapshot);
      return Optional.empty();
    }
    return times.promise(snapshot, journal);
  }

  /**
   * Whether nothing more is committed before a reopening, here or elsewhere. Never true with
   * replicas: another one may lead by now and commit.
   */
  boolean hasFailedForGood() {
    return journal.hasFailed() && journal.replicas() == LogReplicas.NONE;
  }

  /** Records the clock's current time in the journal, which replaces the ceiling. */
  public void endClock() {
    run(
        () -> {
          OptionalLong lastIssued = times.end();
          if (lastIssued.isPresent()) {
            byte[] body = ClockRecord.encodeLast(lastIssued.getAsLong());
            journal.append(new SavedRecord(RecordKind.CLOCK, body));
          }
        });
  }

  /**
   * Rewrites the last requests of sessions, so that the segments that hold them may be dropped.
   *
   * @return the records that must be durable first
   */
  List<SavedRecord> saveSessions() {
    return call(
        () -> {
          List<SavedRecord> records = new ArrayList<>();
          List<SessionsRecord.Entry> live = state.sessions().live(times.nowMillis());
          for (int from = 0; from < live.size(); from += SessionsRecord.MAX_ENTRIES) {
            int to = Math.min(live.size(), from + SessionsRecord.MAX_ENTRIES);
            byte[] body = SessionsRecord.encode(live.subList(from, to));
            SavedRecord record = new SavedRecord(RecordKind.SESSIONS, body);
            records.add(record);
            journal.append(record);
          }
          return records;
        });
  }
}
