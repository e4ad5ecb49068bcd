package io.github.stablecut.cluster.internal.client;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.internal.thread.Threads;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Periodically refreshes the partitions' owners on its own thread, because unreachable servers
 * block. Thread-safe.
 */
final class Refresher implements AutoCloseable {
  static final Duration INTERVAL = Duration.ofSeconds(3);

  /** Delay of a refresh after a failure; failures within it share one refresh. */
  private static final long SOON_MILLIS = 200;

  private final BooleanSupplier refresh;
  private final long intervalMillis;
  private final AtomicBoolean isSoon = new AtomicBoolean();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(task -> Threads.daemon("stablecut-nodes", task));

  /** Whether the next periodic refresh is scheduled. Confined to the timer's thread. */
  private boolean isTicking;

  /**
   * @param refresh refreshes once; returns whether to continue periodically
   * @param interval the pause between two refreshes
   */
  Refresher(BooleanSupplier refresh, Duration interval) {
    this.refresh = refresh;
    this.intervalMillis = interval.toMillis();
  }

  void start() {
    after(0, this::tick);
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

  /** Schedules one extra refresh soon. */
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

  /** Schedules a task; returns false if this is closed. */
  @CanIgnoreReturnValue
  private boolean after(long millis, Runnable task) {
    try {
      FireAndForget.schedule(timer, millis, "the search for servers", task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
