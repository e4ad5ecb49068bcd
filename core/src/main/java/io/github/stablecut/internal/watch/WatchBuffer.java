package io.github.stablecut.internal.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.thread.HeapShare;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The newest commits that wait for the user of one watch. Bounded: the dispatcher never waits, so
 * what is too much ends the watch. Thread-safe.
 */
public final class WatchBuffer {
  /** How a watch stands. */
  enum State {
    OPEN,
    /** Something was left out after what is in the buffer. */
    OVERFLOWED,
    CLOSED,
    STORE_CLOSED
  }

  /** Names and effects of about so many bytes may wait. */
  public static final long MOST_BYTES = HeapShare.of(64L << 20);

  /**
   * A watch that has overflowed keeps no more. Those that are open have the newest commits, which
   * they share; of those that have ended each may have others.
   */
  private static final long MOST_ENDED_BYTES = MOST_BYTES / 32;

  private final Wanted wanted;
  private final int capacity;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition added = lock.newCondition();
  private final Condition completed = lock.newCondition();

  @GuardedBy("lock")
  private final Deque<CommittedWrites> waiting = new ArrayDeque<>();

  /** Their bytes. */
  @GuardedBy("lock")
  private long waitingBytes;

  @GuardedBy("lock")
  private VectorClock complete = VectorClock.ZERO;

  /** Everything at or before it was taken. */
  @GuardedBy("lock")
  private VectorClock taken = VectorClock.ZERO;

  @GuardedBy("lock")
  private State state = State.OPEN;

  /** Whether somebody waits for {@link #complete} in {@link #take}. */
  @GuardedBy("lock")
  private boolean isCompleteAwaited;

  @GuardedBy("lock")
  private Runnable onEnd = () -> {};

  /**
   * @param wanted of commits
   * @param capacity how many commits may wait
   */
  public WatchBuffer(Wanted wanted, int capacity) {
    this.wanted = wanted;
    this.capacity = capacity;
  }

  Wanted wanted() {
    return wanted;
  }

  int capacity() {
    return capacity;
  }

  /**
   * Takes what is wanted of a commit, if there is room.
   *
   * @param upTo everything at or before it was offered, if this was
   */
  void offer(CommittedWrites writes, VectorClock upTo) {
    Optional<CommittedWrites> part = writes.of(wanted);
    if (part.isPresent()) {
      long bytes = part.get().bytes();
      lock.lock();
      try {
        if (state == State.OPEN && hasRoomFor(bytes)) {
          waiting.add(part.get());
          waitingBytes += bytes;
          complete = complete.join(upTo);
          added.signalAll();
        } else {
          end(State.OVERFLOWED);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  @GuardedBy("lock")
  private boolean hasRoomFor(long bytes) {
    return waiting.isEmpty() || (waiting.size() < capacity && waitingBytes + bytes <= MOST_BYTES);
  }

  /** Takes note that everything at or before a vector was offered. */
  void complete(VectorClock at) {
    lock.lock();
    try {
      if (state == State.OPEN) {
        complete = complete.join(at);
        completed.signalAll();
        if (isCompleteAwaited) {
          added.signalAll();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends it, unless it has ended. */
  void end(State newState) {
    lock.lock();
    try {
      if (state == State.OPEN || (state == State.OVERFLOWED && newState != state)) {
        state = newState;
        dropMuch();
        added.signalAll();
        completed.signalAll();
        onEnd.run();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whoever watches finds in the journal what is dropped. */
  @GuardedBy("lock")
  private void dropMuch() {
    if (waitingBytes > MOST_ENDED_BYTES) {
      waiting.clear();
      waitingBytes = 0;
      complete = taken;
    }
  }

  /**
   * Has somebody told of the end, at once if it has ended.
   *
   * @param listener called on whatever thread ends the buffer, so it must return at once; may be
   *     called twice
   */
  void onEnd(Runnable listener) {
    lock.lock();
    try {
      onEnd = listener;
      if (state != State.OPEN) {
        listener.run();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether and how it has ended. */
  Optional<WatchedCommits.End> ended() {
    return switch (state()) {
      case OPEN -> Optional.empty();
      case OVERFLOWED -> Optional.of(WatchedCommits.End.OVERFLOWED);
      case CLOSED -> Optional.of(WatchedCommits.End.CLOSED);
      case STORE_CLOSED -> Optional.of(WatchedCommits.End.STORE_CLOSED);
    };
  }

  State state() {
    lock.lock();
    try {
      return state;
    } finally {
      lock.unlock();
    }
  }

  /** Up to where everything was taken, if nothing waits and nothing was left out. */
  Optional<VectorClock> takenUpTo() {
    lock.lock();
    try {
      return waiting.isEmpty() ? Optional.of(complete) : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * What was in the buffer.
   *
   * @param complete everything at or before it was offered
   */
  record Taken(List<CommittedWrites> commits, VectorClock complete) {}

  /**
   * Takes all that waits. If nothing does, waits for it until a time of {@link System#nanoTime} and
   * as long as the buffer is open.
   *
   * @param known also waits no longer once everything up to a point was offered that is not at or
   *     before this one; empty if that is of no interest
   */
  Taken take(long deadlineNanos, Optional<VectorClock> known) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      isCompleteAwaited = known.isPresent();
      long rest = deadlineNanos - System.nanoTime();
      while (waiting.isEmpty()
          && state == State.OPEN
          && rest > 0
          && known.filter(at -> !complete.isAtOrBefore(at)).isEmpty()) {
        rest = added.awaitNanos(rest);
      }
      boolean isOver = state == State.CLOSED || state == State.STORE_CLOSED;
      List<CommittedWrites> commits = isOver ? List.of() : List.copyOf(waiting);
      if (!isOver) {
        waiting.clear();
        waitingBytes = 0;
        taken = complete;
      }
      return new Taken(commits, complete);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until everything at or before a vector was offered, or until a time, or until the end.
   *
   * @return whether it was offered
   */
  boolean awaitComplete(VectorClock vector, long deadlineNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long rest = deadlineNanos - System.nanoTime();
      while (!vector.isAtOrBefore(complete) && state == State.OPEN && rest > 0) {
        rest = completed.awaitNanos(rest);
      }
      return vector.isAtOrBefore(complete);
    } finally {
      lock.unlock();
    }
  }
}
