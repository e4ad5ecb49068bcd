package io.github.stablecut.junit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;

/**
 * A clock that stands still until it is set. Thread-safe.
 *
 * <p>A store with this clock ({@link io.github.stablecut.option.StoreOptions#withClock}) treats a
 * jump ahead as a fault of the machine's clock, and follows it only after a minute. {@link
 * io.github.stablecut.option.StoreOptions#withMaxClockJump} allows jumps, as {@link StoreExtension}
 * does. A store's own time never goes backwards, whatever its clock does.
 */
public final class SettableClock implements InstantSource {
  /** The end of the timestamps' range. */
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

  /** Creates a clock that stands at a time, which must be before 2159 like all later ones. */
  public static SettableClock at(Instant now) {
    return new SettableClock(now);
  }

  @Override
  public Instant instant() {
    return now;
  }

  /** Advances the clock, or sets it back by a negative duration. */
  public synchronized void advance(Duration by) {
    now = checked(now.plus(by));
  }

  /** Sets the clock. */
  public synchronized void set(Instant moment) {
    now = checked(moment);
  }
}
