package io.github.stablecut.examples.bench.replica;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Store;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that commit transactions of one increment, each as soon as its last one is acknowledged,
 * or at a fixed rate. Immutable.
 *
 * @param store that they write to
 * @param threads their number
 */
public record ReplicationLoad(Store store, int threads) {
  private static final int KEYS = 10_000;

  /** The body of a thread. */
  @FunctionalInterface
  private interface Work {
    void run(int thread, SplittableRandom random);
  }

  /**
   * Commits for some time.
   *
   * @param rate transactions per second of all threads; 0 for the maximum
   * @return the achieved rate per second
   */
  @CanIgnoreReturnValue
  public double run(int rate, Duration time) throws InterruptedException {
    AtomicLong committed = new AtomicLong();
    long startNanos = System.nanoTime();
    long endNanos = startNanos + time.toNanos();
    double interval = rate == 0 ? 0 : 1e9 * threads / rate;
    onThreads(
        (thread, random) -> {
          long done = 0;
          double due = startNanos + interval * thread / threads;
          while (System.nanoTime() < endNanos) {
            LockSupport.parkNanos((long) due - System.nanoTime());
            commit(random);
            done++;
            due += interval;
          }
          committed.addAndGet(done);
        });
    return committed.get() * 1e9 / (System.nanoTime() - startNanos);
  }

  /** Commits a number of transactions as fast as possible. */
  public void commit(int transactions) throws InterruptedException {
    AtomicLong left = new AtomicLong(transactions);
    onThreads(
        (thread, random) -> {
          while (left.getAndDecrement() > 0) {
            commit(random);
          }
        });
  }

  private void commit(SplittableRandom random) {
    CounterKey key = Key.counter("bench", "k" + random.nextInt(KEYS));
    store.update(key.increment(1));
  }

  private void onThreads(Work work) throws InterruptedException {
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int number = i;
      Thread thread = new Thread(() -> work.run(number, new SplittableRandom(number)), "load-" + i);
      running.add(thread);
      thread.start();
    }
    for (Thread thread : running) {
      thread.join();
    }
  }
}
