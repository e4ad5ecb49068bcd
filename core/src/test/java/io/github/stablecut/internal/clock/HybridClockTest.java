package io.github.stablecut.internal.clock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Protocol 1.1: timestamps never go back and never repeat, not even across a restart with a clock
 * that was set back.
 */
final class HybridClockTest {
  private static final int PARTITION = 5;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final Instant BEGIN = Instant.parse("2026-11-20T08:00:00Z");

  private Instant now = BEGIN;

  /** The clock of a process whose machine clock may go anywhere. */
  private final HybridClock process = process();

  private HybridClock process() {
    return process(0);
  }

  private HybridClock process(int ahead) {
    return new HybridClock(
        new MachineClock(
            () -> now,
            () -> Duration.between(BEGIN, now).toMillis() * NANOS_PER_MILLI,
            Duration.ofDays(1)),
        ahead);
  }

  private PartitionClock clock(long latest) {
    return new PartitionClock(process(), PARTITION, latest);
  }

  @Test
  void ticksAreUniqueAndAscendWithinAMillisecondAndWhenTheMachineClockFallsBack() {
    PartitionClock clock = clock(0);
    Set<Long> seen = new HashSet<>();
    long last = 0;
    for (int i = 0; i < 100_000; i++) {
      if (i == 50_000) {
        now = now.minus(Duration.ofHours(1));
      }
      long tick = clock.tick(0);
      assertThat(tick).isGreaterThan(last);
      assertThat(Timestamp.partition(tick)).isEqualTo(PARTITION);
      assertThat(seen.add(tick)).isTrue();
      last = tick;
    }
  }

  @Test
  void aTickIsAboveItsFloorAndNearTheMachineClock() {
    PartitionClock clock = clock(0);

    assertThat(Timestamp.epochMillis(clock.tick(0))).isEqualTo(now.toEpochMilli());
    long floor = Timestamp.of(Timestamp.countAt(now.toEpochMilli() + 5_000), 9);
    assertThat(clock.tick(floor)).isGreaterThan(floor);
  }

  @Test
  void timesIssuedByOnePartitionAreBelowLaterOnesOfAnother() {
    PartitionClock first = new PartitionClock(process, 0, 0);
    PartitionClock last = new PartitionClock(process, Timestamp.MAX_PARTITIONS - 1, 0);
    long commit = last.tick(0);
    long promise = first.promise();

    assertThat(promise).isGreaterThanOrEqualTo(commit);
    assertThat(first.tick(0)).isGreaterThan(promise);
    assertThat(last.tick(0)).isGreaterThan(promise);
  }

  @Test
  void aPartitionThatIsOpenedLaterAdvancesTheClockOfAll() {
    PartitionClock first = new PartitionClock(process, 0, 0);
    long ahead = Timestamp.of(Timestamp.countAt(now.toEpochMilli() + 5_000), 0);

    PartitionClock second = new PartitionClock(process, 1, ahead);

    assertThat(first.tick(0)).isGreaterThan(ahead);
    assertThat(second.tick(0)).isGreaterThan(ahead);
  }

  /** A directory copied after a crash is opened twice: the next commits differ. */
  @Test
  void twoClocksThatStartAheadOfOneEndGiveDifferentTimes() {
    long end = Timestamp.of(Timestamp.countAt(now.toEpochMilli() + 5_000), 0);

    long one = new PartitionClock(process(0), PARTITION, end).tick(0);
    long other = new PartitionClock(process(7), PARTITION, end).tick(0);

    assertThat(Timestamp.count(other) - Timestamp.count(one)).isEqualTo(7);
    now = now.plus(Duration.ofSeconds(6));
    assertThat(new PartitionClock(process(7), PARTITION, end).tick(0))
        .isEqualTo(new PartitionClock(process(0), PARTITION, end).tick(0));
  }

  @Test
  void aRestartedClockStartsAboveTheCeilingThoughTheMachineClockWasSetBack() {
    PartitionClock before = clock(0);
    before.raiseCeiling(before.ceilingAbove(before.promise()));
    long promise = before.promise();
    assertThat(promise).isLessThan(before.ceiling());
    now = now.minus(Duration.ofHours(1));

    PartitionClock after = clock(before.ceiling());

    assertThat(after.tick(0)).isGreaterThan(promise);
    assertThat(after.promise()).isGreaterThan(promise);
  }

  @Test
  void aCeilingIsDueBeforeItIsReached() {
    PartitionClock clock = clock(0);
    clock.raiseCeiling(clock.ceilingAbove(clock.promise()));

    assertThat(clock.isNearCeiling(clock.promise())).isFalse();
    now = now.plus(Duration.ofSeconds(6));
    assertThat(clock.isNearCeiling(clock.promise())).isTrue();
    assertThat(clock.promise()).isLessThan(clock.ceiling());
  }

  @Test
  void consecutiveCrashesDoNotAddUpTheirCeilings() {
    long ceiling = 0;
    for (int crash = 0; crash < 20; crash++) {
      PartitionClock clock = clock(ceiling);
      long issued = clock.promise();
      assertThat(issued).isGreaterThanOrEqualTo(ceiling);
      assertThat(clock.isNearCeiling(issued)).isTrue();
      ceiling = clock.ceilingAbove(issued);
      clock.raiseCeiling(ceiling);
      assertThat(clock.isNearCeiling(issued)).isFalse();
    }

    assertThat(Timestamp.epochMillis(ceiling))
        .isLessThanOrEqualTo(now.plusMillis(10_000 + 20 * 101).toEpochMilli());
  }
}
