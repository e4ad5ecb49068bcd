package io.github.stablecut.crdt;

/**
 * The bytes that the effect of a reset may still take, as estimates count them. As long as there is
 * one, the next piece fits, whatever its size: so each reset undoes something. Confined to one
 * thread.
 */
final class ResetBudget {
  /** What the effect on one thing takes besides its name and its dots. */
  static final int OVERHEAD = 8;

  private static final int BYTES_PER_DOT = 14;

  private long left;
  private boolean isExhausted;

  ResetBudget(int bytes) {
    this.left = bytes;
  }

  /** Makes room for the effect on a piece of the object; false if there is none left. */
  boolean take(long bytes) {
    if (left <= 0) {
      isExhausted = true;
      return false;
    }
    left -= bytes;
    return true;
  }

  /** Makes room for the effect on something with a name, and with dots that it has observed. */
  boolean take(Bytes name, int dots) {
    return take(bytes(name, dots));
  }

  /** Counts what comes along with a piece that has been taken. */
  void count(Bytes name, int dots) {
    left -= bytes(name, dots);
  }

  private static long bytes(Bytes name, int dots) {
    return OVERHEAD + name.length() + bytes(dots);
  }

  /** What some dots take. */
  static long bytes(int dots) {
    return (long) dots * BYTES_PER_DOT;
  }

  /** Whether there was a piece without room. */
  boolean isExhausted() {
    return isExhausted;
  }
}
