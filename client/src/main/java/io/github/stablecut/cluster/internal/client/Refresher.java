package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.internal.thread.Threads;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Asks now and then who has which objects, on a thread of its own, because servers that can't be
 * reached take time. Thread-safe.
 */
final class Refresher implements AutoCloseable {
  static final Duration INTERVAL = Duration.ofSeconds(3);

  /** After a failure others are found out about soon, and not at each call. */
  private static final long SOON_MILLIS = 200;

  private final BooleanSupplier refresh;
  private final long intervalMillis;
  private final AtomicBoolean isSoon = new AtomicBoolean();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(task -> Threads.daemon("stablecut-nodes", task));

  /** Whether it is asked again without anybody wanting it. Confined to the timer's thread. */
  private boolean isTicking;

  /**
   * @param refresh asks once; says whether the answer may become another one
   * @param interval how long after an answer is asked again
   */
  Refresher(BooleanSupplier refresh, Duration interval) {
    this.refresh = refresh;
    this.intervalMillis = interval.toMillis();
  }

  void start() {
    boolean unused = after(0, this::tick);
  }

  private void tick() {
    isTicking = false;
    ask();
  }

  private void ask() {
    boolean goesOn = true;
    try {
      goesOn = refresh.getAsBoolean();
    } finally {
      if (goesOn && !isTicking) {
        isTicking = after(intervalMillis, this::tick);
      }
    }
  }

  /** Asks once more, soon. */
  void soon() {
    if (isSoon.compareAndSet(false, true)) {
      boolean isDue = false;
      try {
        isDue =
            after(
                SOON_MILLIS,
                () -> {
                  isSoon.set(false);
                  ask();
                });
      } finally {
        if (!isDue) {
          isSoon.set(false);
        }
      }
    }
  }

  /** Returns whether the task will be done; not if this is closed. */
  private boolean after(long millis, Runnable task) {
    try {
      var unused = timer.schedule(task, millis, TimeUnit.MILLISECONDS);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  public void close() {
    var unused = timer.shutdownNow();
  }
}
