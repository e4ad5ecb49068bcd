package io.github.stablecut;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for replicated data to arrive; the test's own timeout ends the wait. */
final class Arrival {
  private static final long POLL_NANOS = 1_000_000;

  private Arrival() {}

  @CanIgnoreReturnValue
  static <T> T await(Supplier<T> what, Predicate<? super T> isThere) {
    T found = what.get();
    while (!isThere.test(found)) {
      LockSupport.parkNanos(POLL_NANOS);
      found = what.get();
    }
    return found;
  }
}
