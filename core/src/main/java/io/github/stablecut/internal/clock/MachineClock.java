package io.github.stablecut.internal.clock;

import io.github.stablecut.error.MachineClockException;
import io.github.stablecut.log.Log;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * The machine's wall clock, checked against its monotonic clock: a forward jump is followed only
 * after the wall clock has stayed there for a minute. A hybrid logical clock never goes back, so a
 * momentarily wrong reading would otherwise carry the store into the future permanently. Backward
 * steps are passed on at once; the hybrid clock ignores them. Thread-safe.
 *
 * <p>A suspended machine sees such a jump too, where its monotonic clock stood still meanwhile. It
 * is followed at once if another, trusted process reports a time near the wall clock ({@link
 * #isConfirmedBy}): clocks of two machines are not wrong in the same way at the same time.
 *
 * <p>For example, with a limit of 10 s and a clock that an administrator sets to a wrong hour:
 *
 * <pre>
 *   monotonic    0 s        2 s        4 s        5 s       30 s       70 s
 *   wall      12:00:00   13:00:02   13:00:04   12:00:05   18:00:30   18:01:10
 *   result    12:00:00   12:00:02   12:00:04   12:00:05   12:00:30   12:01:10
 *   and at 90 s, when the last jump is a minute old, 18:01:30
 * </pre>
 */
public final class MachineClock implements InstantSource {
  /** A jump is followed after the wall clock has stayed there for this time. */
  static final Duration CONFIRMATION = Duration.ofSeconds(60);

  /** The latest time that timestamps can represent. */
  private static final Instant LATEST = Instant.parse("2159-01-01T00:00:00Z");

  /** The whole range of timestamps: permits any jump. */
  private static final Duration ANY = Duration.between(Instant.EPOCH, LATEST);

  private static final Logger LOG = Log.of(MachineClock.class);

  /** Within this much after the last accepted reading the monotonic clock need not be read. */
  private static final long NEAR_MILLIS = 1_000;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** An accepted reading, with its monotonic time. */
  private record Reading(long wallMillis, long monotonicNanos) {
    /** The wall-clock time expected now from the monotonic clock. */
    long expectedMillis(long nowNanos) {
      return wallMillis + (nowNanos - monotonicNanos) / NANOS_PER_MILLI;
    }
  }

  /** A forward jump that is not followed yet: its size and its monotonic time. */
  private record Jump(long byMillis, long sinceNanos) {
    /** Whether another reading agrees with this jump; clocks differ a little in speed. */
    boolean isSame(long aheadMillis) {
      return Math.abs(aheadMillis - byMillis) <= NEAR_MILLIS;
    }
  }

  private final InstantSource wall;
  private final LongSupplier monotonicNanos;
  private final long maxJumpMillis;
  private volatile Reading accepted;

  /** Guarded by this. */
  private Optional<Jump> jump = Optional.empty();

  /**
   * @param wall the machine's wall clock; it may jump
   * @param monotonicNanos the machine's monotonic clock, in nanoseconds
   * @param maxJump forward jumps up to this size are followed at once
   * @throws MachineClockException if the wall clock is later than timestamps can represent
   */
  public MachineClock(InstantSource wall, LongSupplier monotonicNanos, Duration maxJump) {
    this.wall = wall;
    this.monotonicNanos = monotonicNanos;
    this.maxJumpMillis = maxJump.compareTo(ANY) < 0 ? maxJump.toMillis() : ANY.toMillis();
    long nowMillis = wall.millis();
    if (!isInRange(nowMillis)) {
      throw new MachineClockException(
          "the machine's clock shows %s, but timestamps can't represent times after %s: set the clock"
              .formatted(Instant.ofEpochMilli(nowMillis), LATEST));
    }
    this.accepted = new Reading(nowMillis, monotonicNanos.getAsLong());
  }

  private static boolean isInRange(long epochMillis) {
    return epochMillis < LATEST.toEpochMilli();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public long millis() {
    long nowMillis = wall.millis();
    long sinceMillis = nowMillis - accepted.wallMillis;
    return sinceMillis >= 0 && sinceMillis <= NEAR_MILLIS ? nowMillis : judge(nowMillis);
  }

  private synchronized long judge(long nowMillis) {
    long nanos = monotonicNanos.getAsLong();
    long expected = accepted.expectedMillis(nanos);
    long aheadMillis = nowMillis - expected;
    if (isInRange(nowMillis) && (aheadMillis <= maxJumpMillis || isConfirmed(aheadMillis, nanos))) {
      if (jump.isPresent()) {
        LOG.warn(
            aheadMillis <= maxJumpMillis
                ? "the machine's clock, which had jumped forward by {} ms, has jumped back to {}"
                : "the machine's clock jumped forward by {} ms and has stayed there: the store"
                    + " follows it from now on; it shows {}",
            jump.get().byMillis,
            Instant.ofEpochMilli(nowMillis));
      }
      accept(nowMillis, nanos);
      return nowMillis;
    }
    if (jump.map(known -> !known.isSame(aheadMillis)).orElse(true)) {
      LOG.warn(
          "the machine's clock jumped forward by {} ms, to {}: the store follows it if it stays there for"
              + " {} s; until then the store's time is {}",
          aheadMillis,
          Instant.ofEpochMilli(nowMillis),
          CONFIRMATION.toSeconds(),
          Instant.ofEpochMilli(expected));
      jump = Optional.of(new Jump(aheadMillis, nanos));
    }
    return expected;
  }

  private void accept(long nowMillis, long nanos) {
    jump = Optional.empty();
    accepted = new Reading(nowMillis, nanos);
  }

  /**
   * Follows a forward jump at once if another process's time confirms it.
   *
   * @param otherMillis the time of the other process, in milliseconds since 1970
   * @param within the maximum difference between the two clocks
   * @return whether the jump was confirmed and is followed
   */
  public synchronized boolean isConfirmedBy(long otherMillis, Duration within) {
    long nowMillis = wall.millis();
    long nanos = monotonicNanos.getAsLong();
    long expected = accepted.expectedMillis(nanos);
    boolean isJump = isInRange(nowMillis) && nowMillis - expected > maxJumpMillis;
    // A time near this clock's expectation does not confirm a jump.
    if (!isJump
        || otherMillis - expected <= within.toMillis()
        || Math.abs(otherMillis - nowMillis) > within.toMillis()) {
      return false;
    }
    LOG.warn(
        "the machine's clock jumped forward by {} ms, and another process reports about the same"
            + " time: it follows it from now on; it shows {}",
        nowMillis - expected,
        Instant.ofEpochMilli(nowMillis));
    accept(nowMillis, nanos);
    return true;
  }

  private boolean isConfirmed(long aheadMillis, long nanos) {
    return jump.isPresent()
        && jump.get().isSame(aheadMillis)
        && nanos - jump.get().sinceNanos >= CONFIRMATION.toNanos();
  }
}
