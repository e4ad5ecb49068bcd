package io.github.stablecut;

import io.github.stablecut.error.ConflictException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;

/** Retries certified transactions after conflicts. Stateless. */
final class CertifiedRetries {
  /** More conflicts than this indicate another problem. */
  private static final int MAX_ATTEMPTS = 1_000;

  /** The longest pause after the first attempt; it grows linearly with the attempts. */
  private static final long PAUSE_NANOS = 100_000;

  /** The pause stops growing at this multiple of the first one. */
  private static final int MAX_PAUSE_FACTOR = 50;

  private CertifiedRetries() {}

  /**
   * Runs a function in transactions until one of them commits, with a random pause between
   * attempts. An exception of the function ends the attempts, even a {@link ConflictException}: the
   * next attempt would throw it again.
   *
   * @throws ConflictException the conflict of the last attempt, if the commits of all attempts had
   *     conflicts
   */
  static <R> R untilCommitted(
      Supplier<Transaction> begin, Function<? super Transaction, ? extends R> body) {
    for (int attempts = 1; ; attempts++) {
      try (Transaction transaction = begin.get()) {
        R result = body.apply(transaction);
        if (tryCommit(transaction, attempts == MAX_ATTEMPTS)) {
          return result;
        }
      }
      LockSupport.parkNanos(
          ThreadLocalRandom.current().nextLong(PAUSE_NANOS * Math.min(attempts, MAX_PAUSE_FACTOR)));
    }
  }

  private static boolean tryCommit(Transaction transaction, boolean isLast) {
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
