package io.github.stablecut.internal.partition.replicated;

import java.util.function.LongSupplier;

/**
 * The speed of a replica's clock, so that tests of its timeouts finish quickly. Immutable.
 *
 * @param speed seconds that pass in one second of the monotonic clock; the same for all replicas
 *     that communicate
 * @param monotonic a monotonic clock, in nanoseconds
 */
public record ReplicaTiming(int speed, LongSupplier monotonic) {
  /** Real time. */
  public static final ReplicaTiming REAL = new ReplicaTiming(1);

  /** Creates a clock that is faster than the machine's. */
  public ReplicaTiming(int speed) {
    this(speed, System::nanoTime);
  }

  /** The time of the monotonic clock in nanoseconds, as fast as {@link #speed} says. */
  long nanoTime() {
    return speed * unscaledNanoTime();
  }

  /** The time of the monotonic clock, whatever the speed. */
  long unscaledNanoTime() {
    return monotonic.getAsLong();
  }

  /** Converts a duration of this clock to one of the monotonic clock. */
  long toWait(long nanos) {
    return nanos / speed;
  }
}
