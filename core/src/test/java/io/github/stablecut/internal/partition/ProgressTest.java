package io.github.stablecut.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.thread.WaitingThreads;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Waiting for a partition. */
class ProgressTest {
  private static final long HOUR = Duration.ofHours(1).toNanos();

  private final Progress progress = new Progress();
  private final AtomicBoolean changed = new AtomicBoolean();

  @Test
  void aThreadOfAPoolThatWaitsLetsAnotherOneTakeItsPlace() throws Exception {
    ForkJoinPool pool = WaitingThreads.pool("test-", 1, 8);
    CountDownLatch waiting = new CountDownLatch(8);
    CountDownLatch held = new CountDownLatch(8);
    for (int i = 0; i < 8; i++) {
      pool.execute(
          () -> {
            boolean unused =
                progress.await(
                    () -> {
                      waiting.countDown();
                      return changed.get();
                    },
                    HOUR);
            held.countDown();
          });
    }

    waiting.await();
    CountDownLatch done = new CountDownLatch(1);
    pool.execute(done::countDown);
    done.await();

    assertThat(held.getCount()).isEqualTo(8);
    changed.set(true);
    progress.changed();
    held.await();
    pool.shutdown();
  }

  @Test
  void aWaitEndsAfterItsTimeAndKeepsAnInterrupt() {
    Thread.currentThread().interrupt();

    assertThat(progress.await(changed::get, 1_000_000)).isFalse();
    assertThat(Thread.interrupted()).isTrue();

    changed.set(true);
    Thread.currentThread().interrupt();
    assertThat(progress.await(changed::get, HOUR)).isTrue();
    assertThat(Thread.interrupted()).isTrue();
  }
}
