package io.github.stablecut.internal.partition.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.thread.BlockingPools;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Waiting for a condition over constantly changing state. */
final class ProgressSignalTest {
  private static final long ENDLESS = Long.MAX_VALUE;

  private final ProgressSignal progress = new ProgressSignal();

  /** Returns the answers one after the other, and no more after the last. */
  private static BooleanSupplier answers(Boolean... answers) {
    Iterator<Boolean> left = List.of(answers).iterator();
    return left::next;
  }

  @Test
  void doesNotReevaluateAConditionThatHeld() {
    assertThat(progress.await(answers(true), ENDLESS)).isTrue();
    assertThat(progress.await(answers(false, true), ENDLESS)).isTrue();
  }

  @Test
  void reportsAConditionThatHoldsWithoutFurtherChanges() {
    assertThat(progress.await(answers(true), () -> true, ENDLESS)).isTrue();
    assertThat(progress.await(answers(false, false), () -> true, ENDLESS)).isFalse();
  }

  @Test
  void waitersReevaluateAfterAChange() throws Exception {
    AtomicBoolean holds = new AtomicBoolean();
    CountDownLatch looked = new CountDownLatch(2);
    CompletableFuture<Boolean> waiting =
        CompletableFuture.supplyAsync(
            () ->
                progress.await(
                    () -> {
                      looked.countDown();
                      return holds.get();
                    },
                    ENDLESS));
    looked.await();

    holds.set(true);
    progress.changed();

    assertThat(waiting.get()).isTrue();
  }

  /** A condition may wait for the threads that report changes: for the journal, or for a lock. */
  @Test
  void reportingAChangeDoesNotWaitForEvaluations() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    CompletableFuture<Void> reported = new CompletableFuture<>();
    CountDownLatch looksAgain = new CountDownLatch(1);
    CompletableFuture<Boolean> waiting =
        CompletableFuture.supplyAsync(
            () ->
                progress.await(
                    () -> {
                      if (looks.incrementAndGet() == 1) {
                        return false;
                      }
                      looksAgain.countDown();
                      reported.join();
                      return true;
                    },
                    ENDLESS));
    looksAgain.await();

    progress.changed();

    reported.complete(null);
    assertThat(waiting.get()).isTrue();
  }

  @Test
  void doesNotMissAChangeDuringAnEvaluation() {
    AtomicInteger looks = new AtomicInteger();
    AtomicBoolean holds = new AtomicBoolean();

    boolean held =
        progress.await(
            () -> {
              boolean found = holds.get();
              if (looks.incrementAndGet() == 2) {
                holds.set(true);
                progress.changed();
              }
              return found;
            },
            ENDLESS);

    assertThat(held).isTrue();
    assertThat(looks).hasValue(3);
  }

  @Test
  void aWaitingPoolThreadLetsAnotherOneRun() throws Exception {
    AtomicBoolean holds = new AtomicBoolean();
    ForkJoinPool pool = BlockingPools.pool("test-", 1, 8);
    CountDownLatch waiting = new CountDownLatch(8);
    CountDownLatch held = new CountDownLatch(8);
    for (int i = 0; i < 8; i++) {
      pool.execute(
          () -> {
            progress.await(
                () -> {
                  waiting.countDown();
                  return holds.get();
                },
                ENDLESS);
            held.countDown();
          });
    }

    waiting.await();
    CountDownLatch done = new CountDownLatch(1);
    pool.execute(done::countDown);
    done.await();

    assertThat(held.getCount()).isEqualTo(8);
    holds.set(true);
    progress.changed();
    held.await();
    pool.shutdown();
  }

  @Test
  void theWaitEndsAfterItsTimeoutAndKeepsAnInterrupt() {
    Thread.currentThread().interrupt();

    assertThat(progress.await(() -> false, 1)).isFalse();
    assertThat(Thread.interrupted()).isTrue();
  }
}
