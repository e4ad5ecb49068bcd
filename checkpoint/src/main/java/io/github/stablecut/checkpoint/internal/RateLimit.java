package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.RateClock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/** Spreads written bytes evenly over time; unused capacity is lost. Confined to one thread. */
public final class RateLimit implements WriteLimits.Pace {
  private final long bytesPerSecond;
  private final RateClock clock;
  private long freeAtNanos;

  /** A limit under which nothing was written yet. */
  public RateLimit(long bytesPerSecond, RateClock clock) {
    this.bytesPerSecond = bytesPerSecond;
    this.clock = clock;
    this.freeAtNanos = clock.nanoTime();
  }

  @Override
  public void written(int bytes) throws IOException {
    long nowNanos = clock.nanoTime();
    double nanos = (double) bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    freeAtNanos = (nowNanos - freeAtNanos > 0 ? nowNanos : freeAtNanos) + (long) nanos;
    try {
      clock.sleep(Math.max(0, freeAtNanos - nowNanos));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException stopped = new InterruptedIOException("a merge was interrupted");
      stopped.initCause(e);
      throw stopped;
    }
  }
}
