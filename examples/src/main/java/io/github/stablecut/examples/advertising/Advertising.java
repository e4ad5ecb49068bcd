package io.github.stablecut.examples.advertising;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.examples.BackgroundThread;
import io.github.stablecut.web.Signal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The store, its recorder and analysis, and their figures. Thread-safe. */
final class Advertising implements AutoCloseable {
  private static final int MAX_TICKS = 120;

  private final Store store;
  private final int perSecond;
  private final Duration tick;
  private final Recorder recorder;
  private final Analysis analysis;
  private final Signal signal = new Signal();
  private final BackgroundThread clock;

  @GuardedBy("this")
  private final Deque<Tick> ticks = new ArrayDeque<>();

  @GuardedBy("this")
  private int number;

  /**
   * The figures of one tick.
   *
   * @param perSecond recorded views
   * @param readPerSecond streams that the analysis has read
   */
  record Tick(
      int number, double perSecond, double p50Millis, double p99Millis, double readPerSecond) {}

  /**
   * The content of the page.
   *
   * @param wantedPerSecond the target rate of views
   * @param ticks the last ticks
   */
  record View(
      int wantedPerSecond, boolean isAnalysing, Analysis.AnalysisResult found, List<Tick> ticks) {}

  private Advertising(Store store, int pages, int perSecond, Duration tick) {
    this.store = store;
    this.perSecond = perSecond;
    this.tick = tick;
    this.recorder = Recorder.start(store, pages, perSecond);
    this.analysis = Analysis.start(store, pages);
    this.clock = BackgroundThread.start("figures", this::run);
  }

  /**
   * Opens a store and starts recording.
   *
   * @param directory empty or missing
   * @param tick the interval of figures
   */
  static Advertising open(Path directory, int pages, int perSecond, Duration tick) {
    return new Advertising(Stablecut.open(directory), pages, perSecond, tick);
  }

  private void run() throws InterruptedException {
    long sinceNanos = System.nanoTime();
    while (true) {
      Thread.sleep(tick.toMillis());
      long nowNanos = System.nanoTime();
      add((nowNanos - sinceNanos) / 1e9);
      sinceNanos = nowNanos;
      signal.raise();
    }
  }

  private synchronized void add(double seconds) {
    Recorder.Figures recorded = recorder.take();
    ticks.addLast(
        new Tick(
            number++,
            recorded.views() / seconds,
            recorded.p50Millis(),
            recorded.p99Millis(),
            analysis.takeRead() / seconds));
    if (ticks.size() > MAX_TICKS) {
      ticks.removeFirst();
    }
  }

  Signal signal() {
    return signal;
  }

  /** Starts or stops the analysis. */
  void analyse(boolean runs) {
    analysis.setRunning(runs);
    signal.raise();
  }

  synchronized View view() {
    return new View(perSecond, analysis.isRunning(), analysis.found(), List.copyOf(ticks));
  }

  @Override
  public void close() {
    clock.close();
    recorder.close();
    analysis.close();
    store.close();
  }
}
