package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import java.util.Optional;

/** The source of a watch's commits. Confined to one thread at a time, except {@link #close}. */
public interface WatchSource extends AutoCloseable {
  /** The reason for a watch's end. */
  enum End {
    OVERFLOWED,
    /** The buffers of all watches of the store together held too much, and this one held most. */
    CROWDED_OUT,
    CLOSED,
    STORE_CLOSED
  }

  /**
   * Returns the reason for the watch's end; empty if it is open. After OVERFLOWED there may still
   * be commits to read.
   */
  Optional<End> end();

  /**
   * Sets a listener for the end; calls it immediately if the watch has ended.
   *
   * @param listener called on the thread that ends the watch, so it must not block; may be called
   *     twice
   */
  void onEnd(Runnable listener);

  /** The maximum number of buffered commits. */
  int capacity();

  /**
   * Returns the next commit without removing it. Empty if there was none until a time of {@link
   * System#nanoTime}, or the watch has ended. If the watch ends, the commit may be discarded before
   * it is removed.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the next commits were truncated
   */
  Optional<OrderedCommit> peek(long deadlineNanos) throws InterruptedException;

  /** Removes the commit that {@link #peek} returned; empty if it was discarded. */
  Optional<OrderedCommit> remove();

  /** Removes the next commit. Otherwise as {@link #peek}. */
  default Optional<OrderedCommit> poll(long deadlineNanos) throws InterruptedException {
    return peek(deadlineNanos).isPresent() ? remove() : Optional.empty();
  }

  /**
   * Checks that no partition has held up the watch for too long.
   *
   * @param longestNanos the longest acceptable time, in nanoseconds
   * @throws io.github.stablecut.error.PartitionUnavailableException if a partition was unreadable
   *     for longer
   */
  default void checkReached(long longestNanos) {}

  /** The point up to which all commits were removed. */
  VectorClock position();

  /** Ends the watch. Idempotent; may be called by any thread. */
  @Override
  void close();
}
