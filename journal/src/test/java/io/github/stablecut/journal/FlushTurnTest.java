package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** One thread at a time has the right to flush. */
final class FlushTurnTest {
  private static final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Such as a fault in mapped memory that is reported late. */
  @Test
  void theThreadHasTheTurnAgainAlsoWhenItsSleepThrows() throws Exception {
    CountDownLatch isTaken = new CountDownLatch(1);
    CountDownLatch isAsleep = new CountDownLatch(1);
    AtomicBoolean isEnded = new AtomicBoolean();
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
              assertThat(turn.take()).isTrue();
              isTaken.countDown();
              isEnded.set(true);
              turn.end(true);
            });
    caller.start();

    assertThatThrownBy(() -> turn.sleep(Long.MAX_VALUE)).isInstanceOf(Fault.class);

    assertThat(isEnded).isTrue();
    assertThat(turn.take()).isFalse();
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
