package io.github.stablecut.internal.partition.replicated;

/**
 * The speed of a replica's clock, so that tests of its timeouts finish quickly. Immutable.
 *
 * @param speed seconds that pass in one real second; the same for all replicas that communicate
 */
public record ReplicaTiming(int speed) {
  /** Real time. */
  public static final ReplicaTiming REAL = new ReplicaTiming(1);

  /** The time in nanoseconds, as of {@link System#nanoTime}. */
  long nanoTime() {
    return speed * System.nanoTime();
  }

  /** Converts a duration of this clock to real nanoseconds. */
  long toWait(long nanos) {
    return nanos / speed;
  }
}
