package io.github.stablecut.checkpoint.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.checkpoint.RateClock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The write rate of a merge, on a simulated clock. */
class RateLimitTest {
  /** A clock that advances only by sleeping. Confined to one thread. */
  private static final class Clock implements RateClock {
    private long nowNanos = Long.MAX_VALUE - 10;

    @Override
    public long nanoTime() {
      return nowNanos;
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      nowNanos += nanos;
    }
  }

  private final Clock clock = new Clock();
  private final long start = clock.nanoTime();
  private final RateLimit limit = new RateLimit(1_000_000, clock);

  @Test
  void takesTheTimeThatTheRateRequires() throws IOException {
    for (int i = 0; i < 100; i++) {
      limit.written(30_000);
    }

    assertThat(clock.nowNanos - start).isEqualTo(TimeUnit.SECONDS.toNanos(3));
  }

  @Test
  void doesNotCompensateForUnusedTime() throws IOException {
    clock.nowNanos += TimeUnit.SECONDS.toNanos(60);
    long before = clock.nowNanos;

    limit.written(1_000_000);

    assertThat(clock.nowNanos - before).isEqualTo(TimeUnit.SECONDS.toNanos(1));
  }

  @Test
  void isEndedByAnInterrupt() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> limit.written(1)).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
