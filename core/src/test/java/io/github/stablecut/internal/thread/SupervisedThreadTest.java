package io.github.stablecut.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A thread continues whatever its work throws, and reports it. */
final class SupervisedThreadTest {
  private final FaultLog faults = new FaultLog();

  @Test
  void throwingWorkRestartsUntilItReturns() {
    AtomicInteger times = new AtomicInteger();
    SupervisedThread thread =
        new SupervisedThread(
            "worker",
            () -> {
              switch (times.incrementAndGet()) {
                case 1 -> throw new OutOfMemoryError("injected");
                case 2 -> throw new StackOverflowError();
                case 3 -> throw new IllegalStateException("injected");
                default -> {}
              }
            },
            faults);

    thread.start();
    thread.join();

    assertThat(times).hasValue(4);
    assertThat(faults.describe())
        .containsExactly(
            "thread worker failed 3 times and continues, last with java.lang.IllegalStateException: injected: see the log");
  }

  @Test
  void aThrowingBackgroundTaskKeepsNoOtherFromRunning() {
    try (BackgroundExecutor executor = new BackgroundExecutor("background", faults)) {
      executor.start();
      executor.execute(
          () -> {
            throw new LinkageError("injected");
          });

      CompletableFuture.runAsync(() -> {}, executor).join();
    }
    assertThat(faults.describe()).singleElement().asString().contains("LinkageError: injected");
  }
}
