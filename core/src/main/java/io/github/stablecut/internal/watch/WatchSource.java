package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import java.util.Optional;

/** What a watch reads. Confined to one thread at a time, but for {@link #close}. */
public interface WatchSource extends AutoCloseable {
  /** How a watch has ended that has nothing more to say. */
  enum End {
    OVERFLOWED,
    /** The buffers of all watches of the store together held too much, and this one most. */
    CROWDED_OUT,
    CLOSED,
    STORE_CLOSED
  }

  /** Whether and how the watch has ended. After OVERFLOWED there may still be something. */
  Optional<End> end();

  /**
   * Has somebody told of the end, at once if the watch has ended.
   *
   * @param listener called on whatever thread ends the watch, so it must return at once; may be
   *     called twice
   */
  void onEnd(Runnable listener);

  /** How many commits may wait. */
  int capacity();

  /**
   * The next commit, which stays; empty if there was none until a time of {@link System#nanoTime},
   * or the watch has ended. It may be discarded before it is removed, if the watch ends.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if what comes next is not kept any
   *     more
   */
  Optional<OrderedCommit> peek(long deadlineNanos) throws InterruptedException;

  /** Removes the commit that {@link #peek} has returned; empty if it was discarded. */
  Optional<OrderedCommit> remove();

  /** Removes the next commit. Otherwise as {@link #peek}. */
  default Optional<OrderedCommit> poll(long deadlineNanos) throws InterruptedException {
    return peek(deadlineNanos).isPresent() ? remove() : Optional.empty();
  }

  /**
   * Checks that nothing has kept back what there may be for long.
   *
   * @param longest in nanoseconds
   * @throws io.github.stablecut.error.PartitionUnavailableException if a partition could not be
   *     read for so long
   */
  default void checkReached(long longest) {}

  /** The point up to which everything was taken. */
  VectorClock position();

  /** Ends the watch. Idempotent, and from any thread. */
  @Override
  void close();
}
