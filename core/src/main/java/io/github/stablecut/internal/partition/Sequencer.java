package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.record.ClockRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionsRecord;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalClosedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The order of a partition's records. Under the commit lock, which nobody else has and which is
 * held for memory operations only, a record gets its time, takes effect in the {@link
 * PartitionState}, and gets its place in the journal. So the order of times, of effects and of the
 * journal is one. Thread-safe.
 *
 * <p>{@link #commit}, {@link #commitIf}, {@link #promise}, {@link #endClock} and {@link
 * #saveSessions} are such steps. Others are given to {@link #run} and {@link #call}, and append
 * their records with {@link #append}.
 */
final class Sequencer {
  private final ReentrantLock lock = new ReentrantLock();
  private final StableTime times;
  private final Journal journal;
  private final Horizon horizon;
  private final PartitionState state;
  private final Certifier certifier;
  private final Progress progress = new Progress();

  Sequencer(StableTime times, Journal journal, Horizon horizon, PartitionState state) {
    this.times = times;
    this.journal = journal;
    this.horizon = horizon;
    this.state = state;
    this.certifier = new Certifier(state, times);
  }

  StableTime times() {
    return times;
  }

  Journal journal() {
    return journal;
  }

  /** What the records have made of the partition; its methods say what is called under the lock. */
  PartitionState state() {
    return state;
  }

  /** Refuses what must not be committed. Under the commit lock. */
  Certifier certifier() {
    return certifier;
  }

  Progress progress() {
    return progress;
  }

  /** Executes a step under the commit lock. */
  void run(Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  /** Executes a step under the commit lock, and returns what it does. */
  <T> T call(Supplier<T> step) {
    lock.lock();
    try {
      return step.get();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until whoever has the commit lock now has let go of it. */
  void passThrough() {
    lock.lock();
    try {
      // Nothing: whoever had it has let go of it.
    } finally {
      lock.unlock();
    }
  }

  /**
   * Commits a transaction of this partition alone: it is committed when its record is durable.
   *
   * @return the commit time, if the session's request was executed before; then nothing was done
   * @throws io.github.stablecut.error.TypeMismatchException if an object in memory has another
   *     type; nothing was changed
   * @throws io.github.stablecut.error.ConflictException if it has to be certified and another one
   *     was faster; likewise
   */
  Optional<Long> commit(CommitRequest request) {
    lock.lock();
    try {
      Optional<RequestId> id = request.request();
      if (id.isPresent()) {
        Optional<Long> executed = executed(id.get());
        if (executed.isPresent()) {
          return executed;
        }
      }
      ensureMayCommit(request);
      appendCommit(request, times.tick(request.snapshot().max()));
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Commits a transaction that has read what is not durable yet.
   *
   * @param isUnchanged whether what it has read is the newest still; asked under the commit lock
   * @return whether it was
   */
  boolean commitIf(CommitRequest request, BooleanSupplier isUnchanged) {
    lock.lock();
    try {
      if (!isUnchanged.getAsBoolean()) {
        return false;
      }
      ensureMayCommit(request);
      appendCommit(request, times.tick(request.snapshot().max()));
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The commit time of a session's request that was executed before. Under the commit lock. */
  Optional<Long> executed(RequestId request) {
    return state.sessions().find(request, times.nowMillis());
  }

  /**
   * Checks that a part may enter the index and the journal now. Under the commit lock, which is
   * kept until it has.
   *
   * @throws io.github.stablecut.error.StablecutException if it may not; nothing was changed
   */
  void ensureMayCommit(CommitRequest part) {
    journal.ensureWritable(part.length());
    horizon.checkCommit(part.snapshot());
    certifier.check(part);
  }

  /**
   * Has a transaction take effect at a time and hands its record to the journal: both, or the
   * journal fails. Under the commit lock.
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
   * Has a record take effect and hands it to the journal: both, or the journal fails. Under the
   * commit lock.
   */
  void append(SequencedRecord record, Runnable effect) {
    try {
      effect.run();
      journal.append(record);
    } catch (Throwable e) {
      failHalfDone(e);
      throw e;
    }
  }

  /**
   * Has the journal fail, because something was thrown between the first change of memory and the
   * handing over of the record: memory has what the journal will not. Readers see nothing of it, as
   * the stable vector passes no commit that is not durable. Nothing is done if the journal was
   * closed: then memory is not used any more.
   */
  private void failHalfDone(Throwable cause) {
    if (!(cause instanceof JournalClosedException)) {
      journal.fail(cause);
      progress.changed();
    }
  }

  /** The newest commit, durable or not. */
  VectorClock lastCommit() {
    return call(times::lastCommit);
  }

  /**
   * Makes sure that later commits are above a vector, and the vector stable if nothing is in its
   * way.
   *
   * @return what has to be durable before another try
   */
  Optional<ClockRequest> promise(VectorClock vector) {
    lock.lock();
    try {
      return times.promise(vector, journal);
    } finally {
      lock.unlock();
    }
  }

  /** Has the journal say up to where the clock has told times, in place of how far it may. */
  void endClock() {
    run(
        () -> {
          OptionalLong told = times.end();
          if (told.isPresent()) {
            byte[] body = ClockRecord.encodeLast(told.getAsLong());
            journal.append(new SavedRecord(RecordKind.CLOCK, body));
          }
        });
  }

  /**
   * Writes down again what sessions did last, so that the segments that have it may go.
   *
   * @return what has to be durable before they do
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
