package io.github.stablecut;

import io.github.stablecut.error.ConflictException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;

/** Repeats certified transactions that lose to others. Stateless. */
final class CertifiedRetries {
  /** After so many something else is wrong. */
  private static final int MAX = 1_000;

  /** The longest wait after the first one; it grows with their number. */
  private static final long PAUSE_NANOS = 100_000;

  private static final int MAX_PAUSES = 50;

  private CertifiedRetries() {}

  /**
   * Runs a function in transactions until one of them commits. Between attempts it waits for a
   * random time. What the function itself throws ends this, a {@link ConflictException} too: the
   * next attempt would throw it again.
   *
   * @throws ConflictException as the last one of many attempts, if all commits had conflicts
   */
  static <R> R untilWon(
      Supplier<Transaction> begin, Function<? super Transaction, ? extends R> body) {
    for (int attempts = 1; ; attempts++) {
      try (Transaction transaction = begin.get()) {
        R result = body.apply(transaction);
        if (isCommitted(transaction, attempts == MAX)) {
          return result;
        }
      }
      LockSupport.parkNanos(
          ThreadLocalRandom.current().nextLong(PAUSE_NANOS * Math.min(attempts, MAX_PAUSES)));
    }
  }

  private static boolean isCommitted(Transaction transaction, boolean isLast) {
    try {
      transaction.commit();
      return true;
    } catch (ConflictException e) {
      if (isLast) {
        throw e;
      }
      return false;
    }
  }
}
