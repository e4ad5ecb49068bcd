package io.github.stablecut;

/**
 * A retained point of the history: it can be read until the pin is closed, however old it becomes.
 * In a cluster, or through a server, it is lost if its node or the client is cut off for more than
 * a minute and the point is truncated meanwhile: reads then throw {@link
 * io.github.stablecut.error.SnapshotTruncatedException}. Thread-safe.
 */
public interface Pin extends Snapshot, AutoCloseable {
  /** Lets go of the point. Idempotent. */
  @Override
  void close();
}
