package io.github.stablecut;

/**
 * A claim on a point of the history: it can be read until the claim is closed, however old it
 * becomes. Thread-safe.
 */
public interface Pin extends Snapshot, AutoCloseable {
  /** Lets go of the point. Idempotent. */
  @Override
  void close();
}
