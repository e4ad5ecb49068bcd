package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.clock.MachineClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Which times of other nodes a node admits. */
final class NodeClockTest {
  private static final Duration MAX_DRIFT = Duration.ofSeconds(60);

  private Instant wall = Instant.parse("2026-11-20T12:00:00Z");
  private Duration running = Duration.ZERO;
  private final NodeClock clock =
      new NodeClock(
          new HybridClock(
              new MachineClock(() -> wall, () -> running.toNanos(), Duration.ofSeconds(10))),
          MAX_DRIFT);

  private void pass(Duration time) {
    wall = wall.plus(time);
    running = running.plus(time);
  }

  /** Suspends the machine: its monotonic clock stands still. */
  private void suspend(Duration time) {
    wall = wall.plus(time);
  }

  private boolean admits(Instant time) {
    return clock.admits(Timestamp.of(Timestamp.countAt(time.toEpochMilli()), 0));
  }

  @Test
  void refusesTimesBeyondTheMaximumDrift() {
    assertThat(admits(wall.plus(MAX_DRIFT))).isTrue();
    assertThat(admits(wall.plus(MAX_DRIFT).plusMillis(10))).isFalse();
    assertThat(admits(wall.minus(Duration.ofDays(1)))).isTrue();
    assertThat(clock.refused()).isEqualTo(1);
  }

  @Test
  void followsOthersAtOnceAfterASuspension() {
    for (Duration time : new Duration[] {Duration.ofSeconds(61), Duration.ofDays(3)}) {
      pass(Duration.ofSeconds(5));
      suspend(time);

      assertThat(admits(wall.minus(Duration.ofMillis(20)))).isTrue();

      assertThat(clock.hybrid().machine().instant()).isEqualTo(wall);
      assertThat(admits(wall.plus(MAX_DRIFT).plusMillis(10))).isFalse();
    }
  }

  @Test
  void refusesAWrongClockAfterASuspension() {
    suspend(Duration.ofMinutes(5));

    assertThat(admits(wall.plus(Duration.ofMinutes(2)))).isFalse();

    assertThat(clock.hybrid().machine().instant()).isEqualTo(wall.minus(Duration.ofMinutes(5)));
  }

  @Test
  void doesNotFollowItsWallClockIfOthersDidNotJump() {
    Instant others = wall;
    suspend(Duration.ofMinutes(5));

    assertThat(admits(others.plusSeconds(1))).isTrue();

    assertThat(clock.hybrid().machine().instant()).isEqualTo(others);
  }
}
