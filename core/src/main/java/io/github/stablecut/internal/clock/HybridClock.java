package io.github.stablecut.internal.clock;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.Timestamp;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The hybrid logical clock of one partition (Kulkarni et al., "Logical Physical Clocks", 2014):
 * never below the machine's clock, never backwards, each tick different. Thread-safe, without
 * locks.
 *
 * <p>A clock must not fall back over a restart behind anything it has told. Commit times are in the
 * journal. Times that are told without a record, such as a snapshot that was moved on while nothing
 * was committed, are covered by the <em>ceiling</em>: a time that the journal holds, below which
 * {@link #promise} may tell, and at which a restarted clock begins.
 */
public final class HybridClock {
  /** How far above the present a ceiling is put. */
  private static final Duration CEILING_AHEAD = Duration.ofSeconds(10);

  /** When this little is left below a ceiling, a higher one is due. */
  private static final Duration CEILING_NEAR = Duration.ofSeconds(5);

  private final InstantSource machine;
  private final int partition;

  /** The count of the latest timestamp told ({@link Timestamp#count}). */
  private final AtomicLong last;

  private volatile long ceiling;

  /**
   * @param machine the machine's clock; it may jump
   * @param partition the partition that goes into each timestamp
   * @param latest the greatest timestamp and ceiling that the journal holds; 0 for a new partition
   */
  public HybridClock(InstantSource machine, int partition, long latest) {
    this.machine = machine;
    this.partition = partition;
    this.last = new AtomicLong(Timestamp.count(latest));
    this.ceiling = latest;
  }

  /**
   * A timestamp above all that were told, and above {@code floor}. Only for what the journal will
   * hold.
   */
  public long tick(long floor) {
    long atLeast = Math.max(Timestamp.count(floor) + 1, machineCount());
    return Timestamp.of(last.updateAndGet(count -> Math.max(count + 1, atLeast)), partition);
  }

  /**
   * The present: all later ticks are above it. If it is not below the {@link #ceiling}, it may be
   * told only after a higher one is durable.
   */
  public long promise() {
    long now = machineCount();
    return Timestamp.of(last.updateAndGet(count -> Math.max(count, now)), partition);
  }

  /**
   * Takes note of a time of another partition: all later ticks are above it.
   *
   * @return whether it may be told that they are; else a higher ceiling has to be durable first
   */
  @CanIgnoreReturnValue
  public boolean observe(long time) {
    var unused = last.accumulateAndGet(Timestamp.count(time), Math::max);
    return time < ceiling;
  }

  /** At or above all that was told. */
  public long told() {
    return Timestamp.of(last.get(), Timestamp.MAX_PARTITIONS - 1);
  }

  /** What promises must stay below. */
  public long ceiling() {
    return ceiling;
  }

  /** Whether a time is so close to the ceiling that a higher one should be made durable. */
  public boolean isNearCeiling(long time) {
    return later(time, CEILING_NEAR) >= ceiling;
  }

  /** A ceiling well above a time. */
  public long ceilingAbove(long time) {
    return later(time, CEILING_AHEAD);
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
    return Timestamp.of(machineCount(), partition);
  }

  private long machineCount() {
    return Timestamp.countAt(machine.millis());
  }
}
