package io.github.stablecut.web;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;

/** Says that something has changed: a number that grows, and that others wait for. Thread-safe. */
public final class Signal {
  @GuardedBy("this")
  private long changes;

  /** Nothing has changed yet. */
  public Signal() {}

  /** Something has changed. */
  public synchronized void raise() {
    changes++;
    notifyAll();
  }

  /** How many changes there were. */
  public synchronized long changes() {
    return changes;
  }

  /**
   * Waits for a change after those that are known.
   *
   * @param known what {@link #changes} or this has said before
   * @param longest how long to wait at most
   * @return how many changes there were
   */
  public synchronized long await(long known, Duration longest) throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    for (long left = longest.toNanos(); changes == known && left > 0; ) {
      wait(left / 1_000_000 + 1);
      left = end - System.nanoTime();
    }
    return changes;
  }
}
