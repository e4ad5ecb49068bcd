package io.github.stablecut.object;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.StreamKey;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is to be done for objects when a transaction has committed, once for each. As confined as
 * the transaction.
 */
final class AfterCommit {
  private final Map<StreamKey<Bytes>, Runnable> tasks = new LinkedHashMap<>();

  /** Has something done for the object that has a log. It does not throw. */
  void add(StreamKey<Bytes> log, Runnable task) {
    tasks.put(log, task);
  }

  void run() {
    tasks.values().forEach(Runnable::run);
  }
}
