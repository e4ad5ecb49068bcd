package io.github.stablecut.internal.thread;

/**
 * How much a queue, or a record with copies, may take of the memory, so that a few of them leave a
 * small heap usable.
 */
public final class HeapShare {
  /** One queue, or all of a kind in a store, takes at most one byte in so many of the heap. */
  private static final int PARTS = 32;

  /** What a store has one of may take so many times as much. */
  private static final int ONLY_ONE = 2;

  /**
   * How many parts a message from outside may have, so that small ones can't fill the memory: each
   * takes some hundred bytes, and several messages are read at once.
   */
  public static final int MESSAGE_PARTS =
      (int) Math.min(2_000_000, Math.max(50_000, Runtime.getRuntime().maxMemory() / 4096));

  private HeapShare() {}

  /** So many bytes, or a thirty-second of the heap if that is less. */
  public static long of(long bytes) {
    return of(bytes, 1);
  }

  /**
   * The same for each of several queues, which share the thirty-second.
   *
   * @param queues how many there are
   */
  public static long of(long bytes, int queues) {
    return of(bytes, queues, Runtime.getRuntime().maxMemory());
  }

  /**
   * So many bytes, or a sixteenth of the heap if that is less, for all queues of a kind that a
   * store has once, and that many depend on.
   *
   * @param queues how many share it
   */
  public static long ofLarge(long bytes, int queues) {
    return Math.min(bytes, ONLY_ONE * of(Long.MAX_VALUE, queues));
  }

  static long of(long bytes, int queues, long heap) {
    return Math.min(bytes, heap / PARTS / queues);
  }
}
