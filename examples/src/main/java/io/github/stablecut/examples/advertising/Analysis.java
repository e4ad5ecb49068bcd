package io.github.stablecut.examples.advertising;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.Pin;
import io.github.stablecut.Store;
import io.github.stablecut.examples.BackgroundThread;

/**
 * Counts the views of all pages at one snapshot, repeatedly while it runs. The result is always the
 * same, whatever is recorded meanwhile. Thread-safe.
 */
final class Analysis implements AutoCloseable {
  private final Store store;
  private final int pages;
  private final BackgroundThread thread;

  @GuardedBy("this")
  private boolean isWanted;

  @GuardedBy("this")
  private long read;

  @GuardedBy("this")
  private AnalysisResult found = new AnalysisResult(0, 0, 0);

  /**
   * The results.
   *
   * @param rounds the number of complete counts since the analysis was started
   * @param views the last count at its snapshot
   * @param different the number of rounds whose count differs from the first one
   */
  record AnalysisResult(int rounds, long views, int different) {}

  private Analysis(Store store, int pages) {
    this.store = store;
    this.pages = pages;
    this.thread = BackgroundThread.start("analysis", this::run);
  }

  /** Creates an analysis that is not running. */
  static Analysis start(Store store, int pages) {
    return new Analysis(store, pages);
  }

  /** Starts at a new snapshot, or stops. */
  synchronized void setRunning(boolean runs) {
    if (runs && !isWanted) {
      found = new AnalysisResult(0, 0, 0);
    }
    isWanted = runs;
    notifyAll();
  }

  synchronized boolean isRunning() {
    return isWanted;
  }

  synchronized AnalysisResult found() {
    return found;
  }

  /** The number of streams read since the last call. */
  synchronized long takeRead() {
    long taken = read;
    read = 0;
    return taken;
  }

  private void run() throws InterruptedException {
    while (true) {
      awaitStart();
      try (Pin pin = store.pin(store.snapshot().token())) {
        while (isRunning()) {
          count(pin);
        }
      }
    }
  }

  private synchronized void awaitStart() throws InterruptedException {
    while (!isWanted) {
      wait();
    }
  }

  private void count(Pin pin) throws InterruptedException {
    long views = 0;
    for (int page = 0; page < pages && isRunning(); page++) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      views += pin.read(PageViews.ofPage(page)).entries().size();
      noteRead();
    }
    noteRound(views);
  }

  private synchronized void noteRead() {
    read++;
  }

  private synchronized void noteRound(long views) {
    if (isWanted) {
      boolean isDifferent = found.rounds > 0 && views != found.views;
      found = new AnalysisResult(found.rounds + 1, views, found.different + (isDifferent ? 1 : 0));
    }
  }

  @Override
  public void close() {
    thread.close();
  }
}
