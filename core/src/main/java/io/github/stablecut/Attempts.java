package io.github.stablecut;

import io.github.stablecut.error.ConflictException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Repeats certified transactions that lose to others. Stateless. */
final class Attempts {
  /** After so many something else is wrong. */
  private static final int MAX = 1_000;

  /** The longest wait after the first one; it grows with their number. */
  private static final long PAUSE_NANOS = 100_000;

  private static final int MAX_PAUSES = 50;

  private Attempts() {}

  /**
   * Attempts something until it wins. Between attempts it waits for a random time.
   *
   * @throws ConflictException as the last one of many attempts, if none has won
   */
  static <R> R untilWon(Supplier<R> attempt) {
    for (int attempts = 1; ; attempts++) {
      try {
        return attempt.get();
      } catch (ConflictException e) {
        if (attempts == MAX) {
          throw e;
        }
      }
      LockSupport.parkNanos(
          ThreadLocalRandom.current().nextLong(PAUSE_NANOS * Math.min(attempts, MAX_PAUSES)));
    }
  }
}
