package io.github.stablecut.cluster.internal.client;

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
  private static final long INTERVAL_MILLIS = 3_000;

  /** After a failure others are found out about soon, and not at each call. */
  private static final long SOON_MILLIS = 200;

  private final BooleanSupplier refresh;
  private final AtomicBoolean isSoon = new AtomicBoolean();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "stablecut-nodes");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * @param refresh asks once; says whether the answer may become another one
   */
  Refresher(BooleanSupplier refresh) {
    this.refresh = refresh;
  }

  void start() {
    after(0, this::tick);
  }

  private void tick() {
    boolean goesOn = true;
    try {
      goesOn = refresh.getAsBoolean();
    } finally {
      if (goesOn) {
        after(INTERVAL_MILLIS, this::tick);
      }
    }
  }

  /** Asks once more, soon. */
  void soon() {
    if (isSoon.compareAndSet(false, true)) {
      after(
          SOON_MILLIS,
          () -> {
            isSoon.set(false);
            boolean unused = refresh.getAsBoolean();
          });
    }
  }

  private void after(long millis, Runnable task) {
    try {
      var unused = timer.schedule(task, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // It is closed.
    }
  }

  @Override
  public void close() {
    var unused = timer.shutdownNow();
  }
}
