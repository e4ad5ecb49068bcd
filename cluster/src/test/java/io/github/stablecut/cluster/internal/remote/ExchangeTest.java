package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.wire.Request;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A request has one number at a time, and events about an earlier number change nothing. */
final class ExchangeTest {
  private final Exchange exchange = Exchange.withOwner(0, new Request.Present(), Long.MAX_VALUE);

  @BeforeEach
  void send() {
    exchange.owner = "n2";
    exchange.run = 7;
    exchange.epoch = 3;
    exchange.number = 5;
  }

  @Test
  void isRepeatedToTheReceiverOfItsTransmission() {
    assertThat(exchange.repeat(5)).contains(new Exchange.Transmission("n2", 7, 3));
    assertThat(exchange.repeat(5)).as("again").isPresent();
  }

  @Test
  void isNotRepeatedWhileItWaitsForARetry() {
    exchange.retryAt(0);

    assertThat(exchange.repeat(5)).isEmpty();
  }

  @Test
  void isNotRepeatedUnderAnEarlierNumber() {
    exchange.retryAt(0);
    exchange.awaitReply();

    assertThat(exchange.repeat(5)).as("before it is sent again").isEmpty();
    exchange.number = 6;
    assertThat(exchange.repeat(5)).as("after it was sent again").isEmpty();
    assertThat(exchange.repeat(6)).isPresent();
  }

  @Test
  void oneRefusedTransmissionOfTwoIsNoRefusal() {
    assertThat(exchange.repeat(5)).isPresent();

    assertThat(exchange.retryUnlessRepeated(5, 0)).isFalse();

    assertThat(exchange.isAwaitingReply()).isTrue();
  }

  @Test
  void aRefusalOfAnEarlierNumberChangesNothing() {
    exchange.retryAt(0);
    exchange.awaitReply();
    exchange.number = 6;

    assertThat(exchange.retryUnlessRepeated(5, 0)).isFalse();
    assertThat(exchange.isAwaitingReply()).isTrue();
    assertThat(exchange.retryUnlessRepeated(6, 0)).isTrue();
    assertThat(exchange.isAwaitingReply()).isFalse();
  }
}
