package io.github.stablecut.examples.bench.counter;

/** A set of counters whose increments are durable. Thread-safe. */
public interface CounterTarget extends AutoCloseable {
  /** Adds 1 to a counter and blocks until the increment is durable. */
  void increment(int counter);

  /** A counter's value. */
  long read(int counter);

  @Override
  void close();
}
