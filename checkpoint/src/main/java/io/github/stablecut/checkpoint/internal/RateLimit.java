package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.RateClock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/**
 * Spreads the bytes that are written evenly over time; what was not used is lost. Confined to one
 * thread.
 */
public final class RateLimit implements WriteLimits.Pace {
  private final long bytesPerSecond;
  private final RateClock clock;
  private long freeAt;

  /** A limit that nothing was written under yet. */
  public RateLimit(long bytesPerSecond, RateClock clock) {
    this.bytesPerSecond = bytesPerSecond;
    this.clock = clock;
    this.freeAt = clock.nanoTime();
  }

  @Override
  public void written(int bytes) throws IOException {
    long now = clock.nanoTime();
    double nanos = (double) bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    freeAt = (now - freeAt > 0 ? now : freeAt) + (long) nanos;
    try {
      clock.sleep(Math.max(0, freeAt - now));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException stopped = new InterruptedIOException("a merge was interrupted");
      stopped.initCause(e);
      throw stopped;
    }
  }
}
