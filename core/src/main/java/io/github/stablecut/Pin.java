package io.github.stablecut;

/**
 * A retained point of the history: it can be read until the pin is closed, however old it becomes.
 * Thread-safe.
 */
public interface Pin extends Snapshot, AutoCloseable {
  /** Lets go of the point. Idempotent. */
  @Override
  void close();
}
