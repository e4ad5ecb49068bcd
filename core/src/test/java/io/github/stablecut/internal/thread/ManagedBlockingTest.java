package io.github.stablecut.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Waits on a thread of a pool that can start no other in its place. */
final class ManagedBlockingTest {
  private final ForkJoinPool pool =
      new ForkJoinPool(
          1,
          ForkJoinPool.defaultForkJoinWorkerThreadFactory,
          null,
          false,
          1,
          1,
          1,
          null,
          1,
          TimeUnit.MINUTES);

  @AfterEach
  void end() {
    pool.shutdownNow();
  }

  @Test
  void waitsForAFutureThoughThePoolHasNoOtherThread() throws Exception {
    CompletableFuture<String> awaited = new CompletableFuture<>();
    CountDownLatch begun = new CountDownLatch(1);
    var joined =
        pool.submit(
            () -> {
              begun.countDown();
              return ManagedBlocking.join(awaited);
            });
    begun.await();
    Thread.sleep(10);
    awaited.complete("done");

    assertThat(joined.get(1, TimeUnit.MINUTES)).isEqualTo("done");
  }

  @Test
  void waitsNoLongerThanTheTimeout() throws Exception {
    CompletableFuture<String> never = new CompletableFuture<>();

    assertThat(pool.submit(() -> ManagedBlocking.awaitDone(never, 1_000)).get(1, TimeUnit.MINUTES))
        .isFalse();
  }

  @Test
  void blocksThoughThePoolHasNoOtherThread() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    var blocked =
        pool.submit(
            () -> {
              ManagedBlocking.block(
                  new ForkJoinPool.ManagedBlocker() {
                    @Override
                    public boolean block() throws InterruptedException {
                      released.await();
                      return true;
                    }

                    @Override
                    public boolean isReleasable() {
                      return false;
                    }
                  });
              return true;
            });
    released.countDown();

    assertThat(blocked.get(1, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void anotherTaskRunsWhileOneWaits() throws Exception {
    ForkJoinPool growing = new ForkJoinPool(1);
    try {
      CountDownLatch other = new CountDownLatch(1);
      var waited =
          growing.submit(
              () ->
                  ManagedBlocking.during(
                      () -> {
                        try {
                          return other.await(1, TimeUnit.MINUTES);
                        } catch (InterruptedException e) {
                          return false;
                        }
                      }));
      growing.execute(other::countDown);

      assertThat(waited.get(2, TimeUnit.MINUTES)).isTrue();
    } finally {
      growing.shutdownNow();
    }
  }
}
