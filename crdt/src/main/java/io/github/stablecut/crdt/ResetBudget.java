package io.github.stablecut.crdt;

/**
 * The estimated number of bytes that a reset's effect may still take. While it is positive, the
 * next piece fits whatever its size, so each reset makes progress. Confined to one thread.
 */
public final class ResetBudget {
  /** The estimated size of the effect on one piece, without its name and dots. */
  public static final int OVERHEAD = 8;

  private static final int BYTES_PER_DOT = 14;

  private long remaining;
  private boolean isExhausted;

  ResetBudget(int bytes) {
    this.remaining = bytes;
  }

  /**
   * Takes the bytes of the effect on a piece of the object; returns false if the budget is
   * exhausted.
   */
  public boolean tryTake(long bytes) {
    if (remaining <= 0) {
      isExhausted = true;
      return false;
    }
    remaining -= bytes;
    return true;
  }

  /**
   * Takes the bytes of the effect on a named piece with observed dots; returns false if the budget
   * is exhausted.
   */
  public boolean tryTake(Bytes name, int dots) {
    return tryTake(bytes(name, dots));
  }

  /** Counts the overhead of a piece already taken. */
  public void count(Bytes name, int dots) {
    remaining -= bytes(name, dots);
  }

  private static long bytes(Bytes name, int dots) {
    return OVERHEAD + name.length() + bytes(dots);
  }

  /** The estimated size of dots. */
  public static long bytes(int dots) {
    return (long) dots * BYTES_PER_DOT;
  }

  /** Whether a piece did not fit. */
  public boolean isExhausted() {
    return isExhausted;
  }
}
