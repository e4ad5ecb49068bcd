package io.github.stablecut.junit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;

/**
 * A clock that stands until it is set. Thread-safe.
 *
 * <p>A store that is opened with it ({@link io.github.stablecut.option.StoreOptions#withClock})
 * takes a jump ahead for a fault of the machine's clock, and follows it only after a minute, unless
 * {@link io.github.stablecut.option.StoreOptions#withMaxClockJump} allows it, as {@link
 * StoreExtension} does. A store's own time never goes back, whatever its clock does.
 */
public final class SettableClock implements InstantSource {
  private volatile Instant now;

  private SettableClock(Instant now) {
    this.now = Objects.requireNonNull(now, "now");
  }

  /** A clock that stands at a moment. */
  public static SettableClock at(Instant now) {
    return new SettableClock(now);
  }

  @Override
  public Instant instant() {
    return now;
  }

  /** Goes on by a time, or back by a negative one. */
  public synchronized void advance(Duration by) {
    now = now.plus(by);
  }

  /** Goes to a moment. */
  public synchronized void set(Instant moment) {
    now = Objects.requireNonNull(moment, "moment");
  }
}
