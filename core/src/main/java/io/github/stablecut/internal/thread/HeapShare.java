package io.github.stablecut.internal.thread;

/**
 * Scales the limits of queues and records with the heap, so that a few of them leave a small heap
 * usable.
 */
public final class HeapShare {
  /** The divisor of the heap for one queue, or for all of a kind in a store. */
  private static final int PARTS = 32;

  /** The factor for queues that a store has only once. */
  private static final int ONLY_ONE = 2;

  /**
   * The maximum number of elements in an external message, so that small elements can't fill the
   * heap: each takes some hundred bytes, and several messages are read concurrently.
   */
  public static final int MESSAGE_PARTS =
      (int) Math.min(2_000_000, Math.max(50_000, Runtime.getRuntime().maxMemory() / 4096));

  private HeapShare() {}

  /** Returns the given bytes, or a thirty-second of the heap if that is less. */
  public static long of(long bytes) {
    return of(bytes, 1);
  }

  /**
   * Like {@link #of(long)}, for each of several queues that share the thirty-second.
   *
   * @param queues the number of queues
   */
  public static long of(long bytes, int queues) {
    return of(bytes, queues, Runtime.getRuntime().maxMemory());
  }

  /**
   * Returns the given bytes, or a sixteenth of the heap if that is less, for a kind of queue that a
   * store has only once and much depends on.
   *
   * @param queues the number of queues that share it
   */
  public static long ofLarge(long bytes, int queues) {
    return Math.min(bytes, ONLY_ONE * of(Long.MAX_VALUE, queues));
  }

  static long of(long bytes, int queues, long heap) {
    return Math.min(bytes, heap / PARTS / queues);
  }
}
