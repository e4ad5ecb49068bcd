package io.github.stablecut.examples.bench;

/** A number of counters whose increments are durable. Thread-safe. */
interface CounterTarget extends AutoCloseable {
  /** Adds 1 to a counter and blocks until that is durable. */
  void increment(int counter);

  /** A counter's value. */
  long read(int counter);

  @Override
  void close();
}
