package io.github.stablecut.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bound of concurrently held permits. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HeapPermitsTest {
  private static final long MEBIBYTE = 1 << 20;

  private final HeapPermits room = new HeapPermits(10 * MEBIBYTE);
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  private void hold(long bytes) {
    for (int i = 0; i < 200; i++) {
      HeapPermits.Permits held = room.acquire(bytes);
      try {
        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
        for (int spin = 0; spin < 100; spin++) {
          Thread.onSpinWait();
        }
        inside.decrementAndGet();
      } finally {
        held.close();
      }
    }
  }

  private void holdInThreads(long bytes) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      Thread thread = new Thread(() -> hold(bytes));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  void admitsNoMoreThanFit() throws InterruptedException {
    holdInThreads(3 * MEBIBYTE);

    assertThat(most.get()).isBetween(1, 3);
  }

  @Test
  void anOversizedHolderIsAlone() throws InterruptedException {
    holdInThreads(100 * MEBIBYTE);

    assertThat(most.get()).isEqualTo(1);
  }

  @Test
  void aTimedAcquisitionEndsAtItsDeadline() throws InterruptedException {
    HeapPermits.Permits all = room.acquire(100 * MEBIBYTE);
    assertThat(room.tryAcquire(3 * MEBIBYTE, System.nanoTime() + 1_000_000)).isEmpty();
    all.close();

    HeapPermits.Permits some = room.tryAcquire(6 * MEBIBYTE, System.nanoTime()).orElseThrow();
    assertThat(room.tryAcquire(6 * MEBIBYTE, System.nanoTime())).isEmpty();
    some.close();
    some.close();
    assertThat(room.tryAcquire(6 * MEBIBYTE, System.nanoTime())).isPresent();
    assertThat(room.tryAcquire(6 * MEBIBYTE, System.nanoTime())).isEmpty();
  }

  @Test
  void smallHoldersNeedNoPermit() {
    HeapPermits.Permits all = room.acquire(100 * MEBIBYTE);

    room.acquire(1_000).close();

    all.close();
  }

  private static Thread waiting(Runnable wait) {
    Thread thread = new Thread(wait);
    thread.start();
    awaitWait(thread);
    return thread;
  }

  private static void awaitWait(Thread thread) {
    while (thread.isInterrupted() || thread.getState() != Thread.State.WAITING) {
      assertThat(thread.isAlive()).isTrue();
      Thread.onSpinWait();
    }
  }

  @Test
  void aDoubleReleaseCountsOnce() throws InterruptedException {
    HeapPermits.Permits first = room.acquire(8 * MEBIBYTE);
    first.close();
    HeapPermits.Permits all = room.acquire(10 * MEBIBYTE);
    first.close();

    Thread waiting = waiting(() -> room.acquire(MEBIBYTE).close());

    all.close();
    waiting.join();
  }

  @Test
  void anInterruptDoesNotEndTheWait() throws InterruptedException {
    HeapPermits.Permits all = room.acquire(10 * MEBIBYTE);
    boolean[] wasInterrupted = {false};
    Thread waiting =
        waiting(
            () -> {
              HeapPermits.Permits held = room.acquire(MEBIBYTE);
              wasInterrupted[0] = Thread.interrupted();
              held.close();
            });

    waiting.interrupt();
    awaitWait(waiting);

    all.close();
    waiting.join();
    assertThat(wasInterrupted[0]).isTrue();
    room.acquire(10 * MEBIBYTE).close();
  }
}
