package io.github.stablecut.checkpoint.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.checkpoint.RateClock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How fast a merge writes, on a clock of our own. */
class RateLimitTest {
  /** A clock that only sleeping moves. Confined to one thread. */
  private static final class Clock implements RateClock {
    private long now = Long.MAX_VALUE - 10;

    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      now += nanos;
    }
  }

  private final Clock clock = new Clock();
  private final long start = clock.nanoTime();
  private final RateLimit limit = new RateLimit(1_000_000, clock);

  @Test
  void takesAsLongAsTheBytesNeed() throws IOException {
    for (int i = 0; i < 100; i++) {
      limit.written(30_000);
    }

    assertThat(clock.now - start).isEqualTo(TimeUnit.SECONDS.toNanos(3));
  }

  @Test
  void doesNotMakeUpForTimeThatWasNotUsed() throws IOException {
    clock.now += TimeUnit.SECONDS.toNanos(60);
    long before = clock.now;

    limit.written(1_000_000);

    assertThat(clock.now - before).isEqualTo(TimeUnit.SECONDS.toNanos(1));
  }

  @Test
  void isEndedByAnInterrupt() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> limit.written(1)).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
