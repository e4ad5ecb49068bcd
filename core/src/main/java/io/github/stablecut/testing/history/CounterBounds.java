package io.github.stablecut.testing.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The increments of one counter and the bounds of its reads. Confined to one thread. */
final class CounterBounds {
  private record Increment(RecordedTransaction transaction, long by) {}

  private final List<Increment> increments = new ArrayList<>();

  void add(RecordedTransaction transaction, long by) {
    increments.add(new Increment(transaction, by));
  }

  /**
   * Returns why a value is impossible; empty if it is possible.
   *
   * @param value without the reader's own increments
   * @param isRequired whether the reader must have seen a transaction; it may have seen any that
   *     began before the reader ended
   */
  Optional<String> violation(
      long value, RecordedTransaction reader, Predicate<RecordedTransaction> isRequired) {
    long least = 0;
    long most = 0;
    for (Increment increment : increments) {
      RecordedTransaction transaction = increment.transaction;
      if (isRequired.test(transaction)) {
        least += increment.by;
        most += increment.by;
      } else if (!transaction.id().equals(reader.id()) && transaction.start() <= reader.end()) {
        least += Math.min(0, increment.by);
        most += Math.max(0, increment.by);
      }
    }
    return value >= least && value <= most
        ? Optional.empty()
        : Optional.of("which is at least %d and at most %d".formatted(least, most));
  }
}
