package io.github.stablecut.internal.partition;

/**
 * How fast time passes for a copy: tests that wait for its timeouts need not wait long. Immutable.
 *
 * @param speed so many seconds pass in one second; the same for all copies that know each other
 */
public record ReplicaTiming(int speed) {
  /** As elsewhere. */
  public static final ReplicaTiming REAL = new ReplicaTiming(1);

  /** The time in nanoseconds, as of {@link System#nanoTime}. */
  long nanoTime() {
    return speed * System.nanoTime();
  }

  /** How long some nanoseconds take. */
  long toWait(long nanos) {
    return nanos / speed;
  }
}
