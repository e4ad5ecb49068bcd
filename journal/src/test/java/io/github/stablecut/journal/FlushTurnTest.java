package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** One thread at a time holds the right to flush. */
final class FlushTurnTest {
  private static final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** For example a fault in mapped memory that the JVM reports late. */
  @Test
  void theThreadHoldsTheTurnAgainEvenIfItsSleepThrows() throws Exception {
    CountDownLatch isTaken = new CountDownLatch(1);
    CountDownLatch isAsleep = new CountDownLatch(1);
    AtomicBoolean hasEnded = new AtomicBoolean();
    FlushTurn turn =
        new FlushTurn(
            () -> {
              isAsleep.countDown();
              await(isTaken);
              throw new Fault();
            });
    Thread caller =
        new Thread(
            () -> {
              await(isAsleep);
              assertThat(turn.tryTake()).isTrue();
              isTaken.countDown();
              hasEnded.set(true);
              turn.end(true);
            });
    caller.start();

    assertThatThrownBy(() -> turn.sleep(Long.MAX_VALUE)).isInstanceOf(Fault.class);

    assertThat(hasEnded).isTrue();
    assertThat(turn.tryTake()).isFalse();
    caller.join();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
