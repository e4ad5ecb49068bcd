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
  /** Timestamps of stores end here. */
  private static final Instant END = Instant.parse("2159-01-01T00:00:00Z");

  private volatile Instant now;

  private SettableClock(Instant now) {
    this.now = checked(now);
  }

  private static Instant checked(Instant moment) {
    if (!Objects.requireNonNull(moment, "moment").isBefore(END)) {
      throw new IllegalArgumentException(
          "a store can't follow a clock beyond %s, to %s".formatted(END, moment));
    }
    return moment;
  }

  /** A clock that stands at a moment, before 2159, as all that it is set to. */
  public static SettableClock at(Instant now) {
    return new SettableClock(now);
  }

  @Override
  public Instant instant() {
    return now;
  }

  /** Goes on by a time, or back by a negative one. */
  public synchronized void advance(Duration by) {
    now = checked(now.plus(by));
  }

  /** Goes to a moment. */
  public synchronized void set(Instant moment) {
    now = checked(moment);
  }
}
