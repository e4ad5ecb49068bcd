package io.github.stablecut.cluster.internal.exchange;

import java.util.List;

/** Takes the operations that make an object, in order. Confined to one thread. */
@FunctionalInterface
interface OperationSink<O> {
  /**
   * Takes operations of transactions that don't see each other.
   *
   * @param alternatives at least one; one transaction executes the first, another one the second,
   *     and so on
   * @param bytes what each of them takes in a transaction, about
   */
  void addConcurrent(List<? extends O> alternatives, long bytes);

  /** Takes an operation, which sees those before it. */
  default void add(O operation, long bytes) {
    addConcurrent(List.of(operation), bytes);
  }
}
