package io.github.stablecut.examples.verification;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.UnavailableException;
import io.github.stablecut.error.UsageException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Counts how operations ended, and notes the longest of each outcome. Thread-safe. */
final class Outcomes {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private record Count(int number, long longestNanos) {
    private static Count sum(Count one, Count other) {
      return new Count(one.number + other.number, Math.max(one.longestNanos, other.longestNanos));
    }
  }

  @GuardedBy("this")
  private final Map<String, Count> counts = new TreeMap<>();

  /** Whether the store guarantees that a call with this failure changed nothing. */
  static boolean isWithoutEffect(RuntimeException failure) {
    return failure instanceof RetryException || failure instanceof UsageException;
  }

  /** Counts a failure; without a server, the caller leaves the processor to those that start. */
  void countFailure(String operation, RuntimeException failure, long nanos) {
    count(operation + " " + failure.getClass().getSimpleName(), nanos);
    if (failure instanceof UnavailableException) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  synchronized void count(String outcome, long nanos) {
    counts.merge(outcome, new Count(1, nanos), Count::sum);
  }

  /** One line per outcome: its name, number, and longest time in milliseconds. */
  synchronized String report() {
    return counts.entrySet().stream()
        .map(
            count ->
                "%s: %d, the longest took %d ms%n"
                    .formatted(
                        count.getKey(),
                        count.getValue().number,
                        count.getValue().longestNanos / 1_000_000))
        .collect(Collectors.joining());
  }
}
