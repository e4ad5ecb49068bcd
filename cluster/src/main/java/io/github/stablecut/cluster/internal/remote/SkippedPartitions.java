package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.FoundObjects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * The partitions that a visitor goes without: none, until it may. Then one that can't be reached
 * when a snapshot is to be held on it is left out of all scans, from then on and as a whole; one
 * that gets lost later makes them fail. Thread-safe.
 */
final class SkippedPartitions {
  /** Nothing. */
  static final FoundObjects NO_OBJECTS =
      new FoundObjects() {
        @Override
        public Optional<FoundObject> next() {
          return Optional.empty();
        }

        @Override
        public void close() {}
      };

  private final Set<Integer> numbers = new ConcurrentSkipListSet<>();
  private volatile boolean isAllowed;

  /**
   * Allows it.
   *
   * @return those that are lost; changes
   */
  Set<Integer> allow() {
    isAllowed = true;
    return numbers;
  }

  boolean has(int number) {
    return numbers.contains(number);
  }

  /** Calls a partition; says whether it can be reached. */
  boolean reach(int number, Runnable call) {
    if (has(number)) {
      return false;
    }
    try {
      call.run();
      return true;
    } catch (PartitionUnavailableException e) {
      if (!isAllowed) {
        throw e;
      }
      numbers.add(number);
      return false;
    }
  }
}
