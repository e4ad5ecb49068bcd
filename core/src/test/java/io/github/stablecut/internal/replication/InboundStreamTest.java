package io.github.stablecut.internal.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a partition requests a stream, and from which provider. */
final class InboundStreamTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long CREDIT = 800;
  private static final int SOURCE = 0;
  private static final int RELAY = 2;

  private final InboundStream intake = new InboundStream(SOURCE, 0);

  private boolean isDue(long now) {
    return intake.isDue(now, SECOND, CREDIT);
  }

  @Test
  void asksTheSourceAtOnceAndThenPeriodically() {
    assertThat(intake.provider()).isEqualTo(SOURCE);
    assertThat(isDue(0)).isTrue();

    intake.requested(0);

    assertThat(isDue(SECOND - 1)).isFalse();
    assertThat(isDue(SECOND)).isTrue();
  }

  @Test
  void soonAcknowledgesArrivals() {
    intake.requested(0);

    intake.addUnacknowledged(1);

    assertThat(isDue(10 * MILLI - 1)).isFalse();
    assertThat(isDue(10 * MILLI)).isTrue();
    intake.requested(10 * MILLI);
    assertThat(isDue(20 * MILLI)).isFalse();
  }

  @Test
  void grantsAPartOfTheCreditAtOnce() {
    intake.requested(0);

    intake.addUnacknowledged(CREDIT / 8);
    assertThat(isDue(1)).isFalse();
    intake.addUnacknowledged(CREDIT / 8);
    assertThat(isDue(1)).isTrue();
  }

  @Test
  void asksAnotherProviderAtOnceAndLeavesItTimeToAnswer() {
    intake.requested(0);

    intake.ask(RELAY, 5 * SECOND);

    assertThat(isDue(5 * SECOND)).isTrue();
    assertThat(intake.heardAtNanos()).isEqualTo(5 * SECOND);
  }

  @Test
  void acceptsMessagesOfTheProviderOnly() {
    intake.heard(RELAY, 3 * SECOND);
    assertThat(intake.heardAtNanos()).isZero();

    intake.heard(SOURCE, 3 * SECOND);
    assertThat(intake.heardAtNanos()).isEqualTo(3 * SECOND);
  }

  @Test
  void asksAProviderThatTruncatedTheNextTransactionAgainAfterAWhile() {
    intake.recordUnable(RELAY, 0);

    assertThat(intake.unable(10 * SECOND)).containsExactly(RELAY);
    assertThat(intake.unable(10 * SECOND + 1)).isEmpty();
  }

  @Test
  void requestsLostMessagesOnceInAWhile() {
    assertThat(intake.tryResendRequest(SECOND, SECOND)).isTrue();
    assertThat(intake.tryResendRequest(2 * SECOND - 1, SECOND)).isFalse();
    assertThat(intake.tryResendRequest(2 * SECOND, SECOND)).isTrue();
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
