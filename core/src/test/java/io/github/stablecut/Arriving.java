package io.github.stablecut;

import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for what comes from elsewhere; the test's own time-out ends it. */
final class Arriving {
  private static final long POLL_NANOS = 1_000_000;

  private Arriving() {}

  static <T> T await(Supplier<T> what, Predicate<? super T> isThere) {
    T found = what.get();
    while (!isThere.test(found)) {
      LockSupport.parkNanos(POLL_NANOS);
      found = what.get();
    }
    return found;
  }
}
