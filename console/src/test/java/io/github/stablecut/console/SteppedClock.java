package io.github.stablecut.console;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands until it is set: so that a test has a past. Thread-safe. */
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

  /** From now on it is as late as the machine's. */
  void catchUp() {
    now = Instant.now();
  }
}
