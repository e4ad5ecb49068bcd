package io.github.stablecut.object;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.StreamKey;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The tasks to run for objects after a transaction commits, one for each object. As confined as the
 * transaction.
 */
final class AfterCommit {
  private final Map<StreamKey<Bytes>, Runnable> tasks = new LinkedHashMap<>();

  /** Adds a task for the object of a log. The task must not throw. */
  void add(StreamKey<Bytes> log, Runnable task) {
    tasks.put(log, task);
  }

  void run() {
    tasks.values().forEach(Runnable::run);
  }
}
