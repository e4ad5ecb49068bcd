package io.github.stablecut.examples.advertising;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.examples.BackgroundThread;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.FireAndForget;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Records views of random pages at a fixed rate, each as an update that is durable when it is
 * counted. Latencies count from the due time, so they include delays that the store causes.
 * Thread-safe.
 */
final class Recorder implements AutoCloseable {
  private static final int VIEW_BYTES = 32;
  private static final int MAX_IN_FLIGHT = 5_000;
  private static final double NANOS_PER_MILLI = 1e6;

  private final Store store;
  private final int pages;
  private final long nanosBetween;
  private final Semaphore inFlight = new Semaphore(MAX_IN_FLIGHT);
  private final FaultLog faults = new FaultLog();
  private final BackgroundThread thread;

  /** Nanoseconds from each view's due time until it was durable, since the last {@link #take}. */
  @GuardedBy("this")
  private long[] latencies = new long[1 << 14];

  @GuardedBy("this")
  private int count;

  /**
   * The views recorded in some time.
   *
   * @param p50Millis the median latency
   * @param p99Millis the 99th percentile of the latency
   */
  record Figures(int views, double p50Millis, double p99Millis) {}

  private Recorder(Store store, int pages, int perSecond) {
    this.store = store;
    this.pages = pages;
    this.nanosBetween = TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.thread = BackgroundThread.start("recorder", this::run);
  }

  /** Starts recording. */
  static Recorder start(Store store, int pages, int perSecond) {
    return new Recorder(store, pages, perSecond);
  }

  private void run() throws InterruptedException {
    SplittableRandom random = new SplittableRandom();
    Bytes view = Bytes.wrap(new byte[VIEW_BYTES]);
    for (long dueNanos = System.nanoTime(); true; dueNanos += nanosBetween) {
      for (long remainingNanos = dueNanos - System.nanoTime();
          remainingNanos > 0;
          remainingNanos = dueNanos - System.nanoTime()) {
        LockSupport.parkNanos(remainingNanos);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
      inFlight.acquire();
      record(random.nextInt(pages), view, dueNanos);
    }
  }

  private void record(int page, Bytes view, long dueNanos) {
    FireAndForget.whenDone(
        store.updateAsync(PageViews.ofPage(page).append(view)),
        (token, failure) -> {
          inFlight.release();
          if (failure == null) {
            add(System.nanoTime() - dueNanos);
          } else {
            faults.add("recording of page views", failure);
          }
        });
  }

  private synchronized void add(long nanos) {
    if (count == latencies.length) {
      latencies = Arrays.copyOf(latencies, 2 * count);
    }
    latencies[count++] = nanos;
  }

  /** The figures since the last call. */
  Figures take() {
    long[] taken;
    synchronized (this) {
      taken = Arrays.copyOf(latencies, count);
      count = 0;
    }
    Arrays.sort(taken);
    return new Figures(taken.length, percentile(taken, 50), percentile(taken, 99));
  }

  private static double percentile(long[] sorted, int percent) {
    return sorted.length == 0 ? 0 : sorted[(sorted.length - 1) * percent / 100] / NANOS_PER_MILLI;
  }

  @Override
  public void close() {
    thread.close();
  }
}
