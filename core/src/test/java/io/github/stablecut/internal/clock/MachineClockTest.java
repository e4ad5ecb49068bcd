package io.github.stablecut.internal.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.MachineClockException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** A momentarily wrong wall clock does not carry the store into the future. */
final class MachineClockTest {
  private static final Instant BEGIN = Instant.parse("2026-11-20T12:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);

  private Duration elapsed = Duration.ZERO;
  private Duration wrongBy = Duration.ZERO;
  private final MachineClock clock =
      new MachineClock(
          () -> BEGIN.plus(elapsed).plus(wrongBy), () -> elapsed.toNanos(), Duration.ofSeconds(10));

  private Instant after(Duration time) {
    elapsed = elapsed.plus(time);
    return clock.instant();
  }

  private Instant right() {
    return BEGIN.plus(elapsed);
  }

  @Test
  void followsTheWallClockAndItsSmallSteps() {
    assertThat(after(Duration.ofMillis(10))).isEqualTo(right());
    assertThat(after(Duration.ofHours(3))).isEqualTo(right());
    wrongBy = Duration.ofSeconds(9);
    assertThat(after(Duration.ofMillis(10))).isEqualTo(right().plusSeconds(9));
    wrongBy = Duration.ofSeconds(-30);
    assertThat(after(Duration.ofMillis(10))).isEqualTo(right().minusSeconds(30));
  }

  @Test
  void ignoresAMomentaryJump() {
    wrongBy = HOUR;
    assertThat(clock.instant()).isEqualTo(right());
    assertThat(after(Duration.ofSeconds(2))).isEqualTo(right());

    wrongBy = Duration.ZERO;
    assertThat(after(Duration.ofMillis(1))).isEqualTo(right());
    assertThat(after(HOUR)).isEqualTo(right());
  }

  @Test
  void followsALastingJumpAfterAMinute() {
    wrongBy = HOUR;
    assertThat(clock.instant()).isEqualTo(right());
    assertThat(after(Duration.ofSeconds(59))).isEqualTo(right());

    assertThat(after(Duration.ofSeconds(1))).isEqualTo(right().plus(HOUR));
    assertThat(after(Duration.ofSeconds(30))).isEqualTo(right().plus(HOUR));
  }

  @Test
  void eachJumpHasToLastForAMinute() {
    for (int jump = 1; jump <= 10; jump++) {
      wrongBy = HOUR.multipliedBy(jump);
      assertThat(after(Duration.ofSeconds(40))).isEqualTo(right());
    }
  }

  private boolean isConfirmedBy(Instant told) {
    return clock.isConfirmedBy(told.toEpochMilli(), Duration.ofMinutes(1));
  }

  @Test
  void followsAJumpToAnotherProcessesTimeAtOnce() {
    wrongBy = HOUR;
    assertThat(clock.instant()).isEqualTo(right());

    assertThat(isConfirmedBy(right().plus(HOUR).minusSeconds(50))).isTrue();

    assertThat(clock.instant()).isEqualTo(right().plus(HOUR));
    assertThat(after(Duration.ofSeconds(30))).isEqualTo(right().plus(HOUR));
    // From there on it is guarded as before.
    wrongBy = HOUR.multipliedBy(2);
    assertThat(after(Duration.ofSeconds(30))).isEqualTo(right().plus(HOUR));
  }

  @Test
  void doesNotFollowAnUnconfirmedJump() {
    assertThat(isConfirmedBy(right().plus(HOUR))).as("no jump").isFalse();
    wrongBy = Duration.ofSeconds(50);
    assertThat(isConfirmedBy(right())).as("the other one has not jumped").isFalse();
    wrongBy = HOUR;
    assertThat(isConfirmedBy(right())).isFalse();
    assertThat(isConfirmedBy(right().plus(HOUR.dividedBy(2)))).isFalse();
    assertThat(isConfirmedBy(right().plus(HOUR.multipliedBy(2)))).isFalse();

    assertThat(clock.instant()).isEqualTo(right());
    assertThat(after(Duration.ofSeconds(59))).isEqualTo(right());
    wrongBy = Duration.ofDays(365 * 200);
    assertThat(isConfirmedBy(right().plus(wrongBy))).as("beyond all timestamps").isFalse();
  }

  @Test
  void neverFollowsAJumpBeyondAllTimestamps() {
    wrongBy = Duration.ofDays(365 * 200);
    for (int minute = 0; minute < 10; minute++) {
      assertThat(after(Duration.ofMinutes(1))).isEqualTo(right());
    }
  }

  @Test
  void refusesToOpenAStoreWithAClockBeyondAllTimestamps() {
    assertThatThrownBy(
            () ->
                new MachineClock(
                    () -> Instant.parse("2170-01-01T00:00:00Z"), () -> 0, Duration.ofSeconds(10)))
        .isInstanceOf(MachineClockException.class)
        .hasMessageContaining("2170-01-01T00:00:00Z")
        .hasMessageContaining("set the clock");
  }
}
