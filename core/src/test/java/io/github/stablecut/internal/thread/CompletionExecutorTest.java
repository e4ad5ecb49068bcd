package io.github.stablecut.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tasks run whatever the user's executor does, and the queuing thread continues. */
final class CompletionExecutorTest {
  /** Enough allocations to free everything that can be freed. */
  private static final int COLLECTIONS = 20;

  private final FaultLog faults = new FaultLog();
  private @Nullable CompletionExecutor executor;

  private CompletionExecutor inFrontOf(Executor users) {
    CompletionExecutor started = new CompletionExecutor(users, faults);
    executor = started;
    started.start();
    return started;
  }

  @AfterEach
  void close() {
    if (executor != null) {
      executor.close();
    }
  }

  /** The queue keeps its last task, but nothing that it has used. */
  @Test
  void theObjectsOfTheLastTaskCanBeFreed() {
    WeakReference<Object> large = used(inFrontOf(Runnable::run));

    for (int i = 0; i < COLLECTIONS && large.get() != null; i++) {
      System.gc();
    }
    assertThat(large.get()).isNull();
  }

  private static WeakReference<Object> used(CompletionExecutor by) {
    Object large = new Object();
    CompletableFuture<Object> done = new CompletableFuture<>();
    by.execute(() -> done.complete(large));
    return new WeakReference<>(done.join());
  }

  static List<Throwable> thrown() {
    return List.of(
        new RejectedExecutionException("full"),
        new NullPointerException(),
        new OutOfMemoryError("unable to create native thread"),
        new LinkageError());
  }

  @Test
  void aTaskAfterTheCloseRunsWithoutAThread() {
    CompletionExecutor tested = new CompletionExecutor(Runnable::run, faults);
    tested.close();

    CompletableFuture<Void> last = CompletableFuture.runAsync(() -> {}, tested);

    assertThat(last).isCompleted();
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void aTaskThatAnExecutorRunsBeforeItThrowsDoesNotRunAgain(Throwable thrown) {
    CompletionExecutor tested =
        inFrontOf(
            task -> {
              task.run();
              sneak(thrown);
            });
    AtomicInteger runs = new AtomicInteger();

    tested.execute(runs::incrementAndGet);

    // The thread submits the tasks one after the other: the first is done.
    CompletableFuture.runAsync(() -> {}, tested).join();
    assertThat(runs).hasValue(1);
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void aRejectedTaskRunsOnTheSubmittingThread(Throwable refusal) {
    CompletionExecutor tested = inFrontOf(task -> sneak(refusal));
    CompletableFuture<String> thread = new CompletableFuture<>();

    tested.execute(() -> thread.complete(Thread.currentThread().getName()));

    assertThat(thread.join()).startsWith("completion-");
    CompletableFuture<Void> next = CompletableFuture.runAsync(() -> {}, tested);
    next.join();
    assertThat(faults.describe())
        .singleElement()
        .asString()
        .contains("executor", refusal.toString());
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void sneak(Throwable any) throws T {
    throw (T) any;
  }

  @Test
  void tasksMayWaitForLaterOnesOnACallerRunsExecutor() {
    CompletionExecutor tested = inFrontOf(Runnable::run);
    int depth = 10;
    CompletableFuture<Void> all = new CompletableFuture<>();

    tested.execute(() -> nest(tested, depth, all));

    all.join();
  }

  /** Each task waits for the end of one that it has queued. */
  private static void nest(CompletionExecutor tested, int depth, CompletableFuture<Void> done) {
    if (depth > 0) {
      CompletableFuture<Void> inner = new CompletableFuture<>();
      tested.execute(() -> nest(tested, depth - 1, inner));
      inner.join();
    }
    done.complete(null);
  }

  @Test
  void aBlockingExecutorBlocksNoSubmitter() {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    CompletionExecutor tested =
        inFrontOf(
            task -> {
              awaitUninterruptibly(mayGoOn);
              task.run();
            });

    List<CompletableFuture<Void>> all =
        IntStream.range(0, 1_000)
            .mapToObj(i -> CompletableFuture.runAsync(() -> {}, tested))
            .toList();

    while (tested.problems().isEmpty()) {
      Thread.onSpinWait();
    }
    assertThat(tested.problems()).singleElement().asString().contains("64 calls");
    assertThat(all).noneMatch(CompletableFuture::isDone);
    mayGoOn.countDown();
    all.forEach(CompletableFuture::join);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void tasksQueuedAtTheCloseRun() {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    CompletionExecutor tested = inFrontOf(Runnable::run);
    tested.execute(() -> awaitUninterruptibly(mayGoOn));
    CompletableFuture<Void> queued = CompletableFuture.runAsync(() -> {}, tested);

    tested.close();
    mayGoOn.countDown();

    queued.join();
  }

  @Test
  void aTaskThatInterruptsItsThreadHurtsNoOther() {
    CompletionExecutor tested = inFrontOf(Runnable::run);
    tested.execute(() -> Thread.currentThread().interrupt());

    CompletableFuture<Boolean> next =
        CompletableFuture.supplyAsync(() -> Thread.currentThread().isInterrupted(), tested);

    assertThat(next.join()).isFalse();
  }
}
