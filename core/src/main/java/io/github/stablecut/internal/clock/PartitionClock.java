package io.github.stablecut.internal.clock;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.Timestamp;
import java.time.Duration;

/**
 * One partition's use of the process's {@link HybridClock}, and its ceiling. Thread-safe.
 *
 * <p>A clock must not fall back over a restart behind anything it has told. Commit times are in the
 * journal. Times that are told without a record, such as a snapshot that was moved on while nothing
 * was committed, are covered by the <em>ceiling</em>: a time that the partition's journal holds,
 * below which {@link #promise} may tell, and at which a restarted clock begins after a crash.
 *
 * <p>So a crash can put the clock ahead of the machine's by as much as a ceiling was. Crashes that
 * follow each other do not add up: while the clock is ahead, ceilings are only a little above it.
 */
public final class PartitionClock {
  /** How far above the machine's clock a ceiling is put. */
  private static final Duration CEILING_AHEAD = Duration.ofSeconds(10);

  /** When this little is left below a ceiling, a higher one is due. */
  private static final Duration CEILING_NEAR = Duration.ofSeconds(5);

  /** How far above the clock a ceiling is put that is more than that ahead of the machine's. */
  private static final Duration STEP_AHEAD = Duration.ofMillis(100);

  /** When this little is left below such a ceiling, a higher one is due. */
  private static final Duration STEP_NEAR = Duration.ofMillis(50);

  private final HybridClock clock;
  private final int partition;
  private volatile long ceiling;

  /**
   * @param clock of the process; raised to {@code latest}
   * @param partition goes into each timestamp
   * @param latest the greatest timestamp and ceiling that the partition's journal holds; 0 for a
   *     new partition
   */
  public PartitionClock(HybridClock clock, int partition, long latest) {
    this.clock = clock;
    this.partition = partition;
    this.ceiling = latest;
    clock.begin(latest);
  }

  /**
   * A timestamp above all that were told, and above {@code floor}. Only for what the journal will
   * hold.
   */
  public long tick(long floor) {
    return clock.tick(partition, floor);
  }

  /**
   * The present: all later ticks are above it. If it is not below the {@link #ceiling}, it may be
   * told only after a higher one is durable.
   */
  public long promise() {
    return clock.now();
  }

  /**
   * Takes note of a time of another partition: all later ticks are above it.
   *
   * @return whether it may be told that they are; else a higher ceiling has to be durable first
   */
  @CanIgnoreReturnValue
  public boolean observe(long time) {
    clock.observe(time);
    return time < ceiling;
  }

  /** At or above all that was told. */
  public long told() {
    return clock.told();
  }

  /** What promises must stay below. */
  public long ceiling() {
    return ceiling;
  }

  /** Whether a time is so close to the ceiling that a higher one should be made durable. */
  public boolean isNearCeiling(long time) {
    boolean isAhead = time > later(machineTime(), CEILING_NEAR);
    return later(time, isAhead ? STEP_NEAR : CEILING_NEAR) >= ceiling;
  }

  /** A ceiling above a time, and well above it if the time is near the machine's clock. */
  public long ceilingAbove(long time) {
    return Math.max(later(machineTime(), CEILING_AHEAD), later(time, STEP_AHEAD));
  }

  private static long later(long time, Duration by) {
    return Timestamp.of(Timestamp.countAt(Timestamp.epochMillis(time) + by.toMillis()), 0);
  }

  /** Raises the ceiling to a time that the journal durably holds. Called by one thread. */
  public void raiseCeiling(long durable) {
    if (durable > ceiling) {
      ceiling = durable;
    }
  }

  /** The timestamp of the machine's clock alone. */
  public long machineTime() {
    return clock.machineTime();
  }
}
