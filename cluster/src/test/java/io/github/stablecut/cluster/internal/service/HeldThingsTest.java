package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.option.Certification;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What clients hold at a server. */
class HeldThingsTest {
  private final AtomicInteger closed = new AtomicInteger();

  /** Can't be closed, but says that it was tried. */
  private final class Failing implements HeldThings.Held {
    @Override
    public Answer take(int bytes, int waitMillis, AnswerBytes answer) {
      return new Answer.Done();
    }

    @Override
    public void close() {
      int unused = closed.incrementAndGet();
      throw new IllegalStateException("injected");
    }
  }

  @Test
  void whatCantBeLetGoOfKeepsNothingElse() {
    HeldThings held =
        new HeldThings(
            new TransactionLimits(9, 9, Duration.ofHours(1), Certification.NONE), System::nanoTime);
    for (int i = 0; i < 3; i++) {
      var unused = held.hold(new Failing());
    }

    held.endAll();

    assertThat(closed).hasValue(3);
    assertThat(held.count()).isZero();
  }
}
