package io.github.stablecut.internal.clock;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.Timestamp;
import java.time.Duration;

/**
 * A partition's view of the process's {@link HybridClock}, with its ceiling. Thread-safe.
 *
 * <p>After a restart a clock must not fall behind any time that it has issued. Commit times are in
 * the journal. Times issued without a record, such as a snapshot that was advanced while nothing
 * was committed, are covered by the <em>ceiling</em>: a time in the partition's journal. {@link
 * #promise} may issue times below it, and after a crash the clock begins at it.
 *
 * <p>So a crash can put the clock ahead of the machine's by as much as the ceiling was. Repeated
 * crashes do not add up: while the clock is ahead, ceilings are only a little above it.
 */
public final class PartitionClock {
  /** The distance of a ceiling above the machine's clock. */
  private static final Duration CEILING_AHEAD = Duration.ofSeconds(10);

  /** A higher ceiling is due when less than this is left below it. */
  private static final Duration CEILING_NEAR = Duration.ofSeconds(5);

  /**
   * The distance of a ceiling above a clock that is ahead of the machine's by about {@link
   * #CEILING_AHEAD} or more.
   */
  private static final Duration STEP_AHEAD = Duration.ofMillis(100);

  /** A higher ceiling of that kind is due when less than this is left below it. */
  private static final Duration STEP_NEAR = Duration.ofMillis(50);

  private final HybridClock clock;
  private final int partition;
  private volatile long ceiling;

  /**
   * @param clock the clock of the process; raised to {@code latest}
   * @param partition goes into each timestamp
   * @param latest the greatest timestamp and ceiling in the partition's journal; 0 for a new
   *     partition
   */
  public PartitionClock(HybridClock clock, int partition, long latest) {
    this.clock = clock;
    this.partition = partition;
    this.ceiling = latest;
    clock.begin(latest);
  }

  /**
   * Issues a timestamp above all issued ones and above {@code floor}. Only for records that the
   * journal will have.
   */
  public long tick(long floor) {
    return clock.tick(partition, floor);
  }

  /**
   * The current time: all later ticks are above it. If it is not below the {@link #ceiling}, it may
   * be issued only after a higher ceiling is durable.
   */
  public long promise() {
    return clock.now();
  }

  /**
   * Observes a time of another partition: all later ticks are above it.
   *
   * @return whether this may be relied upon; if false, a higher ceiling must be durable first
   */
  @CanIgnoreReturnValue
  public boolean observe(long time) {
    clock.observe(time);
    return time < ceiling;
  }

  /** A timestamp at or above all issued ones. */
  public long issued() {
    return clock.issued();
  }

  /** The time that promises must stay below. */
  public long ceiling() {
    return ceiling;
  }

  /** Whether a time is so close to the ceiling that a higher ceiling is due. */
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

  /** Raises the ceiling to a time that is durable in the journal. Called by one thread. */
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
