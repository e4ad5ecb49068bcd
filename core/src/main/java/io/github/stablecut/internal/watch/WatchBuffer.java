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
 * The buffer of the newest commits for the user of one watch. Bounded: the dispatcher never waits,
 * so an overflow ends the watch. Thread-safe.
 */
public final class WatchBuffer {
  /** The state of a watch. */
  enum State {
    OPEN,
    /** Commits after those in the buffer were dropped. */
    OVERFLOWED,
    /** As OVERFLOWED, because the buffers of all watches together held too much. */
    CROWDED_OUT,
    CLOSED,
    STORE_CLOSED
  }

  /** The approximate maximum size of the buffered names and effects, in bytes. */
  public static final long MAX_BYTES = HeapShare.of(64L << 20);

  /**
   * The maximum that an overflowed watch keeps, in bytes. Open watches share the newest commits;
   * each ended watch may hold different ones.
   */
  private static final long MAX_ENDED_BYTES = MAX_BYTES / 32;

  /** The maximum number of commits that {@link #take} returns at once. */
  private static final int MAX_TAKEN = 128;

  private static final long MAX_TAKEN_BYTES = 64 << 10;

  private final CommitFilter filter;
  private final int capacity;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition added = lock.newCondition();
  private final Condition completed = lock.newCondition();

  @GuardedBy("lock")
  private final Deque<BufferedCommit> waiting = new ArrayDeque<>();

  /** The size of the waiting commits' names and effects, in bytes. */
  @GuardedBy("lock")
  private long waitingBytes;

  /** The bytes of {@link WatchMemory} that the waiting commits hold. */
  @GuardedBy("lock")
  private long heldBytes;

  private final DeliveryQueue deliveries = new DeliveryQueue();

  @GuardedBy("lock")
  private VectorClock complete = VectorClock.ZERO;

  /** All commits at or before it were taken. */
  @GuardedBy("lock")
  private VectorClock taken = VectorClock.ZERO;

  @GuardedBy("lock")
  private State state = State.OPEN;

  /** Whether {@link #take} waits for {@link #complete}. */
  @GuardedBy("lock")
  private boolean isCompleteAwaited;

  @GuardedBy("lock")
  private Runnable onEnd = () -> {};

  /**
   * A buffered commit.
   *
   * @param writes the selected part of the commit
   * @param bytes the size of its names and effects
   * @param held its heap bytes, as the charge counts them
   * @param upTo once this commit was offered, all commits at or before this vector were
   */
  private record BufferedCommit(
      CommittedWrites writes, long bytes, long held, WatchMemory.Charge charge, VectorClock upTo) {}

  /**
   * @param filter selects the commits
   * @param capacity the maximum number of buffered commits
   */
  public WatchBuffer(CommitFilter filter, int capacity) {
    this.filter = filter;
    this.capacity = capacity;
  }

  /** The commits that were taken from this buffer or read from a journal for the user. */
  DeliveryQueue deliveries() {
    return deliveries;
  }

  CommitFilter wanted() {
    return filter;
  }

  int capacity() {
    return capacity;
  }

  /**
   * Adds the selected part of a commit, or ends the watch if the buffer is full.
   *
   * @param whole the commit
   * @param charge counts the parts that buffers hold of it
   * @param upTo once this commit was offered, all commits at or before this vector were
   */
  void offer(CommittedWrites whole, WatchMemory.Charge charge, VectorClock upTo) {
    Optional<CommittedWrites> part = whole.of(filter);
    if (part.isPresent()) {
      CommittedWrites writes = part.get();
      long bytes = writes.bytes();
      lock.lock();
      try {
        if (state == State.OPEN && hasCapacityFor(bytes)) {
          add(new BufferedCommit(writes, bytes, WatchMemory.bytesOf(writes), charge, upTo));
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
  private void add(BufferedCommit next) {
    waiting.add(next);
    waitingBytes += next.bytes;
    heldBytes += next.held;
    next.charge.add(next.held);
  }

  @GuardedBy("lock")
  private BufferedCommit remove() {
    BufferedCommit next = waiting.remove();
    waitingBytes -= next.bytes;
    heldBytes -= next.held;
    return next;
  }

  @GuardedBy("lock")
  private boolean hasCapacityFor(long bytes) {
    return waiting.isEmpty() || (waiting.size() < capacity && waitingBytes + bytes <= MAX_BYTES);
  }

  /** Records that all commits at or before a vector were offered. */
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

  /** Ends the watch, unless it has ended. */
  void end(State newState) {
    lock.lock();
    try {
      boolean isOverflow = newState == State.OVERFLOWED || newState == State.CROWDED_OUT;
      if (state == State.OPEN || (!isOver() && !isOverflow)) {
        state = newState;
        if (isOver() || newState == State.CROWDED_OUT || waitingBytes > MAX_ENDED_BYTES) {
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

  /** Whether no more commits may be taken. */
  @GuardedBy("lock")
  private boolean isOver() {
    return state == State.CLOSED || state == State.STORE_CLOSED;
  }

  /** Drops the buffered commits, which the journal has. */
  @GuardedBy("lock")
  private void drop() {
    while (!waiting.isEmpty()) {
      BufferedCommit dropped = remove();
      dropped.charge.add(-dropped.held);
    }
    complete = taken;
  }

  /** The bytes of {@link WatchMemory} that this buffer holds. */
  long heldBytes() {
    lock.lock();
    try {
      return heldBytes + deliveries.heldBytes();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the watch if it is open and drops everything that was not delivered.
   *
   * @param taken the bytes of all buffers; a commit that accounts for all of them is kept
   * @return whether anything was dropped
   */
  boolean tryCrowdOut(long taken) {
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
   * Sets a listener for the end; calls it immediately if the watch has ended.
   *
   * @param listener called on the thread that ends the watch, so it must not block; may be called
   *     twice
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

  /** Returns the reason for the watch's end; empty if it is open. */
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

  /** The vector up to which all commits were taken; empty if some are still buffered. */
  Optional<VectorClock> takenUpTo() {
    lock.lock();
    try {
      return waiting.isEmpty() ? Optional.of(complete) : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Commits taken from the buffer, in order.
   *
   * @param complete all commits at or before it are among these or earlier ones
   */
  record CommitBatch(List<CommittedWrites> commits, VectorClock complete) {}

  /**
   * Takes the buffered commits, or the first of them if there are many. If there are none, waits
   * for some until a time of {@link System#nanoTime} or the end of the watch.
   *
   * @param known the wait also ends when all commits up to a point were offered that is not at or
   *     before this one; empty to wait for commits only
   */
  CommitBatch take(long deadlineNanos, Optional<VectorClock> known) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      isCompleteAwaited = known.isPresent();
      long remainingNanos = deadlineNanos - System.nanoTime();
      while (waiting.isEmpty()
          && state == State.OPEN
          && remainingNanos > 0
          && known.filter(at -> !complete.isAtOrBefore(at)).isEmpty()) {
        remainingNanos = added.awaitNanos(remainingNanos);
      }
      return isOver() ? new CommitBatch(List.of(), complete) : takeSome();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private CommitBatch takeSome() {
    deliveries.release();
    List<CommittedWrites> commits = new ArrayList<>();
    long bytes = 0;
    boolean isComplete = true;
    // Commits that are delivered together are taken together: only the last one makes them
    // complete.
    while (!waiting.isEmpty()
        && (!isComplete || (commits.size() < MAX_TAKEN && bytes < MAX_TAKEN_BYTES))) {
      BufferedCommit next = remove();
      deliveries.takeOver(next.held, next.charge);
      commits.add(next.writes);
      bytes += next.bytes;
      taken = taken.join(next.upTo);
      isComplete = next.writes.at().isAtOrBefore(taken);
    }
    if (waiting.isEmpty()) {
      taken = complete;
    }
    return new CommitBatch(commits, taken);
  }

  /**
   * Waits until all commits at or before a vector were offered, until a time, or until the end.
   *
   * @return whether all were offered
   */
  boolean awaitComplete(VectorClock vector, long deadlineNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long remainingNanos = deadlineNanos - System.nanoTime();
      while (!vector.isAtOrBefore(complete) && state == State.OPEN && remainingNanos > 0) {
        remainingNanos = completed.awaitNanos(remainingNanos);
      }
      return vector.isAtOrBefore(complete);
    } finally {
      lock.unlock();
    }
  }
}
