package io.github.stablecut.console;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is set, which gives a test a past. Thread-safe. */
final class SteppedClock implements InstantSource {
  private volatile Instant now;

  SteppedClock(Instant now) {
    this.now = now;
  }

  @Override
  public Instant instant() {
    return now;
  }

  void advance(Duration step) {
    now = now.plus(step);
  }

  /** Sets the clock to the machine's time. */
  void catchUp() {
    now = Instant.now();
  }
}
