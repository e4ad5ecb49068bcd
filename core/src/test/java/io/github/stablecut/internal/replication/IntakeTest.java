package io.github.stablecut.internal.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a partition asks whom for a stream. */
final class IntakeTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int SOURCE = 0;
  private static final int RELAY = 2;

  private final Intake intake = new Intake(SOURCE, 0);

  @Test
  void theSourceIsAskedAtOnceAndThenNowAndThen() {
    assertThat(intake.provider()).isEqualTo(SOURCE);
    assertThat(intake.isDue(0, SECOND)).isTrue();

    intake.wanted(0);

    assertThat(intake.isDue(SECOND - 1, SECOND)).isFalse();
    assertThat(intake.isDue(SECOND, SECOND)).isTrue();
  }

  @Test
  void whatHasArrivedIsToldAtOnce() {
    intake.wanted(0);

    intake.owe();

    assertThat(intake.isDue(1, SECOND)).isTrue();
  }

  @Test
  void anotherProviderIsAskedAtOnceAndHasTimeToAnswer() {
    intake.wanted(0);

    intake.ask(RELAY, 5 * SECOND);

    assertThat(intake.isDue(5 * SECOND, SECOND)).isTrue();
    assertThat(intake.heardAt()).isEqualTo(5 * SECOND);
  }

  @Test
  void onlyTheProviderIsHeard() {
    intake.heard(RELAY, 3 * SECOND);
    assertThat(intake.heardAt()).isZero();

    intake.heard(SOURCE, 3 * SECOND);
    assertThat(intake.heardAt()).isEqualTo(3 * SECOND);
  }

  @Test
  void whoHasTruncatedWhatComesNextIsAskedAgainAfterAWhile() {
    intake.unable(RELAY, 0);

    assertThat(intake.unable(10 * SECOND)).containsExactly(RELAY);
    assertThat(intake.unable(10 * SECOND + 1)).isEmpty();
  }

  @Test
  void whatWasLostIsAskedForOnceInAWhile() {
    assertThat(intake.takesAgain(SECOND, SECOND)).isTrue();
    assertThat(intake.takesAgain(2 * SECOND - 1, SECOND)).isFalse();
    assertThat(intake.takesAgain(2 * SECOND, SECOND)).isTrue();
  }

  @Test
  void theOpeningIsKnownOfTheLastTransactionOnly() {
    intake.committedBy(99, 10);
    assertThat(intake.openingAt(10)).isEqualTo(99);
    assertThat(intake.openingAt(9)).isZero();

    intake.committedBy(0, 11);
    assertThat(intake.openingAt(10)).isZero();
    assertThat(intake.openingAt(11)).isZero();
  }
}
