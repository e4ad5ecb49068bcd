package io.github.stablecut.cluster.internal.client;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client polls for the nodes as long as they may change. */
@Timeout(30)
class RefresherTest {
  private static final Duration OFTEN = Duration.ofMillis(10);

  @Test
  void continuesAfterAnExceptionAndAnError() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    CountDownLatch again = new CountDownLatch(4);
    try (Refresher refresher =
        new Refresher(
            () -> {
              again.countDown();
              switch (requests.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("injected");
                case 2 -> throw new OutOfMemoryError("injected");
                default -> {
                  return true;
                }
              }
            },
            OFTEN)) {
      refresher.start();

      again.await();
    }
  }

  @Test
  void resumesWhenTheListLoadedAfterAFailureMayChange() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    CountDownLatch again = new CountDownLatch(4);
    CountDownLatch first = new CountDownLatch(1);
    try (Refresher refresher =
        new Refresher(
            () -> {
              again.countDown();
              first.countDown();
              return requests.incrementAndGet() > 1;
            },
            OFTEN)) {
      refresher.start();
      first.await();

      refresher.soon();

      again.await();
    }
  }
}
