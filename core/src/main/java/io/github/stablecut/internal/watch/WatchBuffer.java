package io.github.stablecut.internal.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.thread.HeapShare;
import java.util.ArrayDeque;
import java.util.ArrayList;
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
    /** As OVERFLOWED, because all buffers of the store together held too much. */
    CROWDED_OUT,
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

  /** The most commits that {@link #take} returns at once. */
  private static final int MOST_TAKEN = 128;

  private static final long MOST_TAKEN_BYTES = 64 << 10;

  private final CommitFilter wanted;
  private final int capacity;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition added = lock.newCondition();
  private final Condition completed = lock.newCondition();

  @GuardedBy("lock")
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  /** The bytes of their names and effects. */
  @GuardedBy("lock")
  private long waitingBytes;

  /** What they take of the {@link WatchMemory}. */
  @GuardedBy("lock")
  private long heldBytes;

  private final DeliveryQueue deliveries = new DeliveryQueue();

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
   * A commit that waits.
   *
   * @param writes the wanted part of it
   * @param bytes of its names and effects
   * @param held what it takes in the heap, as the charge counts it
   * @param upTo everything at or before it was offered, if this was
   */
  private record Waiting(
      CommittedWrites writes, long bytes, long held, WatchMemory.Charge charge, VectorClock upTo) {}

  /**
   * @param wanted of commits
   * @param capacity how many commits may wait
   */
  public WatchBuffer(CommitFilter wanted, int capacity) {
    this.wanted = wanted;
    this.capacity = capacity;
  }

  /** The commits that were taken from this buffer, or read from a journal, for the user. */
  DeliveryQueue deliveries() {
    return deliveries;
  }

  CommitFilter wanted() {
    return wanted;
  }

  int capacity() {
    return capacity;
  }

  /**
   * Takes the wanted part of a commit, if there is room.
   *
   * @param whole the commit
   * @param charge counts what buffers hold of it
   * @param upTo everything at or before it was offered, if this was
   */
  void offer(CommittedWrites whole, WatchMemory.Charge charge, VectorClock upTo) {
    Optional<CommittedWrites> part = whole.of(wanted);
    if (part.isPresent()) {
      CommittedWrites writes = part.get();
      long bytes = writes.bytes();
      lock.lock();
      try {
        if (state == State.OPEN && hasRoomFor(bytes)) {
          add(new Waiting(writes, bytes, WatchMemory.bytesOf(writes), charge, upTo));
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
  private void add(Waiting next) {
    waiting.add(next);
    waitingBytes += next.bytes;
    heldBytes += next.held;
    next.charge.add(next.held);
  }

  @GuardedBy("lock")
  private Waiting remove() {
    Waiting next = waiting.remove();
    waitingBytes -= next.bytes;
    heldBytes -= next.held;
    return next;
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
      boolean isOverflow = newState == State.OVERFLOWED || newState == State.CROWDED_OUT;
      if (state == State.OPEN || (!isOver() && !isOverflow)) {
        state = newState;
        if (isOver() || newState == State.CROWDED_OUT || waitingBytes > MOST_ENDED_BYTES) {
          drop();
        }
        if (isOver()) {
          deliveries.discard();
        }
        added.signalAll();
        completed.signalAll();
        onEnd.run();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether nothing more may be taken. */
  @GuardedBy("lock")
  private boolean isOver() {
    return state == State.CLOSED || state == State.STORE_CLOSED;
  }

  /** The journal has what is dropped. */
  @GuardedBy("lock")
  private void drop() {
    while (!waiting.isEmpty()) {
      Waiting dropped = remove();
      dropped.charge.add(-dropped.held);
    }
    complete = taken;
  }

  /** The bytes that it takes of the {@link WatchMemory}. */
  long heldBytes() {
    lock.lock();
    try {
      return heldBytes + deliveries.heldBytes();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the watch if it is open, and drops everything that waits or was not delivered.
   *
   * @param taken the bytes of all buffers: the only commit of all is kept
   * @return whether anything was dropped
   */
  boolean crowdOut(long taken) {
    lock.lock();
    try {
      int commits = waiting.size() + deliveries.chargedCommits();
      if (commits == 0 || (commits == 1 && heldBytes() >= taken)) {
        return false;
      }
      end(State.CROWDED_OUT);
      drop();
      deliveries.discard();
      return true;
    } finally {
      lock.unlock();
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
  Optional<WatchSource.End> ended() {
    return switch (state()) {
      case OPEN -> Optional.empty();
      case OVERFLOWED -> Optional.of(WatchSource.End.OVERFLOWED);
      case CROWDED_OUT -> Optional.of(WatchSource.End.CROWDED_OUT);
      case CLOSED -> Optional.of(WatchSource.End.CLOSED);
      case STORE_CLOSED -> Optional.of(WatchSource.End.STORE_CLOSED);
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
   * Commits that were in the buffer, in order.
   *
   * @param complete everything at or before it is among these or earlier ones
   */
  record Taken(List<CommittedWrites> commits, VectorClock complete) {}

  /**
   * Takes what waits, or the first part if that is much. If nothing does, waits for it until a time
   * of {@link System#nanoTime} and as long as the buffer is open.
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
      return isOver() ? new Taken(List.of(), complete) : takeSome();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private Taken takeSome() {
    deliveries.release();
    List<CommittedWrites> commits = new ArrayList<>();
    long bytes = 0;
    boolean isWhole = true;
    // What is told together is taken together: it is complete with its last part only.
    while (!waiting.isEmpty()
        && (!isWhole || (commits.size() < MOST_TAKEN && bytes < MOST_TAKEN_BYTES))) {
      Waiting next = remove();
      deliveries.takeOver(next.held, next.charge);
      commits.add(next.writes);
      bytes += next.bytes;
      taken = taken.join(next.upTo);
      isWhole = next.writes.at().isAtOrBefore(taken);
    }
    if (waiting.isEmpty()) {
      taken = complete;
    }
    return new Taken(commits, taken);
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
