package io.github.stablecut.cluster.internal.exchange;

import java.util.List;

/** Receives the operations that create an object, in order. Confined to one thread. */
@FunctionalInterface
interface OperationSink<O> {
  /**
   * Adds the operations of concurrent transactions.
   *
   * @param alternatives at least one; each is executed by its own transaction
   * @param bytes the approximate size of each in its transaction
   */
  void addConcurrent(List<? extends O> alternatives, long bytes);

  /** Adds an operation, which sees the previous ones. */
  default void add(O operation, long bytes) {
    addConcurrent(List.of(operation), bytes);
  }
}
