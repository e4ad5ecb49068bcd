package io.github.stablecut.journal;

/**
 * Makes sure that a caller's stack has room for appending and flushing. A caller may be deep inside
 * a recursion; an overflow on the way would fail the journal for everybody.
 */
final class StackGuard {
  /**
   * Frames of the method below, which has more variables than most: some 30 KiB while they are
   * interpreted, 10 KiB when they are compiled. A flush takes less than half of that.
   */
  private static final int FRAMES = 150;

  private StackGuard() {}

  /**
   * Takes as much of the stack as may be needed, and gives it back. Takes about a quarter of a
   * microsecond.
   *
   * @return a number without meaning
   * @throws StackOverflowError if there is too little
   */
  static long require() {
    return deeper(FRAMES, 1, 2, 3, 4);
  }

  private static long deeper(int frames, long a, long b, long c, long d) {
    return frames == 0 ? a : deeper(frames - 1, b, c, d, a + frames) + (a ^ b) + (c ^ d);
  }
}
