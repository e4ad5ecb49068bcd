package io.github.stablecut.journal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

/**
 * Ensures that a caller's stack has room for appending and flushing. A caller may be deep inside a
 * recursion, and a stack overflow during a flush would fail the journal for all callers.
 */
final class StackGuard {
  /**
   * The frames of {@link #deeper}, which has more variables than most methods: they take about 30
   * KiB interpreted and 10 KiB compiled. A flush takes less than half of that.
   */
  private static final int FRAMES = 150;

  private StackGuard() {}

  /**
   * Uses as much stack as a flush may need, and releases it. Takes about 0.25 µs.
   *
   * @return an arbitrary number, so that the compiler keeps the recursion
   * @throws StackOverflowError if the stack is too small
   */
  @CanIgnoreReturnValue
  static long require() {
    return deeper(FRAMES, 1, 2, 3, 4);
  }

  private static long deeper(int frames, long a, long b, long c, long d) {
    return frames == 0 ? a : deeper(frames - 1, b, c, d, a + frames) + (a ^ b) + (c ^ d);
  }
}
