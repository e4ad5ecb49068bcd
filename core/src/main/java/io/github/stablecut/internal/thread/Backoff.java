package io.github.stablecut.internal.thread;

/**
 * An exponential backoff: the wait after a failure doubles each time, up to a minute. Confined to
 * one thread at a time.
 */
public final class Backoff {
  /** The maximum wait, in nanoseconds. */
  public static final long MAX_NANOS = 60_000_000_000L;

  private final long firstNanos;
  private long waitNanos;
  private long endNanos;

  /**
   * @param firstNanos the first wait
   */
  public Backoff(long firstNanos) {
    this.firstNanos = firstNanos;
  }

  /**
   * Whether the operation may be retried now.
   *
   * @param nowNanos a time in nanoseconds, as of {@link System#nanoTime}
   */
  public boolean isOver(long nowNanos) {
    return waitNanos == 0 || nowNanos - endNanos >= 0;
  }

  /** Starts a wait after a failure. */
  public void begin(long nowNanos) {
    waitNanos = waitNanos == 0 ? firstNanos : Math.min(MAX_NANOS, 2 * waitNanos);
    endNanos = nowNanos + waitNanos;
  }

  /** Resets the backoff after a success: the operation may be tried immediately. */
  public void end() {
    waitNanos = 0;
  }
}
