package io.github.stablecut.internal.clock;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Protocol 1.1: never backwards, never twice, not even over a restart with a clock that was set
 * back.
 */
final class HybridClockTest {
  private static final int PARTITION = 5;
  private Instant now = Instant.parse("2026-11-20T08:00:00Z");

  private HybridClock clock(long latest) {
    return new HybridClock(() -> now, PARTITION, latest);
  }

  @Test
  void ticksAreUniqueAndAscendWithinAMillisecondAndWhenTheMachineClockFallsBack() {
    HybridClock clock = clock(0);
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
    HybridClock clock = clock(0);

    assertThat(Timestamp.epochMillis(clock.tick(0))).isEqualTo(now.toEpochMilli());
    long floor = Timestamp.of(Timestamp.countAt(now.toEpochMilli() + 5_000), 9);
    assertThat(clock.tick(floor)).isGreaterThan(floor);
  }

  @Test
  void ticksAreAbovePromises() {
    HybridClock clock = clock(0);
    long promise = clock.promise();

    assertThat(clock.tick(0)).isGreaterThan(promise);
  }

  @Test
  void aRestartedClockBeginsAboveTheCeilingThoughTheMachineClockWasSetBack() {
    HybridClock before = clock(0);
    before.raiseCeiling(before.ceilingAbove(before.promise()));
    long promise = before.promise();
    assertThat(promise).isLessThan(before.ceiling());
    now = now.minus(Duration.ofHours(1));

    HybridClock after = clock(before.ceiling());

    assertThat(after.tick(0)).isGreaterThan(promise);
    assertThat(after.promise()).isGreaterThan(promise);
  }

  @Test
  void aCeilingIsDueBeforeItIsReached() {
    HybridClock clock = clock(0);
    clock.raiseCeiling(clock.ceilingAbove(clock.promise()));

    assertThat(clock.isNearCeiling(clock.promise())).isFalse();
    now = now.plus(Duration.ofSeconds(6));
    assertThat(clock.isNearCeiling(clock.promise())).isTrue();
    assertThat(clock.promise()).isLessThan(clock.ceiling());
  }
}
