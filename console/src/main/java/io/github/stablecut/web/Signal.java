package io.github.stablecut.web;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;

/** A counter of changes that threads can wait on. Thread-safe. */
public final class Signal {
  @GuardedBy("this")
  private long changes;

  /** Creates a signal without changes. */
  public Signal() {}

  /** Records a change and wakes the waiting threads. */
  public synchronized void raise() {
    changes++;
    notifyAll();
  }

  /** The number of changes. */
  public synchronized long changes() {
    return changes;
  }

  /**
   * Waits for a change after the known ones.
   *
   * @param known the last result of {@link #changes} or of this method
   * @param longest the maximum wait
   * @return the number of changes
   */
  @CanIgnoreReturnValue
  public synchronized long await(long known, Duration longest) throws InterruptedException {
    long endNanos = System.nanoTime() + longest.toNanos();
    for (long remainingNanos = longest.toNanos(); changes == known && remainingNanos > 0; ) {
      wait(remainingNanos / 1_000_000 + 1);
      remainingNanos = endNanos - System.nanoTime();
    }
    return changes;
  }
}
