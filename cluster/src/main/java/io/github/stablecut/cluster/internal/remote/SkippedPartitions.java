package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.FoundObjects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * The partitions that an observer skips: none, until skipping is allowed. From then on, a partition
 * that is unreachable when a snapshot is to be pinned on it is left out of all later scans
 * entirely. A partition that is lost later makes scans fail. Thread-safe.
 */
final class SkippedPartitions {
  /** Finds no objects. */
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
   * Allows skipping.
   *
   * @return the skipped partitions; changes
   */
  Set<Integer> allow() {
    isAllowed = true;
    return numbers;
  }

  boolean has(int number) {
    return numbers.contains(number);
  }

  /** Calls a partition; returns whether it is reachable. */
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
