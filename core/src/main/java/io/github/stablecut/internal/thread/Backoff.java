package io.github.stablecut.internal.thread;

/**
 * How long something that comes to nothing waits until it is tried again: twice as long each time,
 * up to a minute. Confined to one thread at a time.
 */
public final class Backoff {
  /** It never waits longer, in nanoseconds. */
  public static final long MAX_NANOS = 60_000_000_000L;

  private final long firstNanos;
  private long nanos;
  private long end;

  /**
   * @param firstNanos how long it waits the first time
   */
  public Backoff(long firstNanos) {
    this.firstNanos = firstNanos;
  }

  /**
   * Whether it may be tried now.
   *
   * @param now a time in nanoseconds, as of {@link System#nanoTime}
   */
  public boolean isOver(long now) {
    return nanos == 0 || now - end >= 0;
  }

  /** It has come to nothing. */
  public void begin(long now) {
    nanos = nanos == 0 ? firstNanos : Math.min(MAX_NANOS, 2 * nanos);
    end = now + nanos;
  }

  /** It may be tried at once, and waits no longer than at first after that. */
  public void end() {
    nanos = 0;
  }
}
