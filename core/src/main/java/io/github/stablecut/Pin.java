package io.github.stablecut;

/**
 * A retained point of the history: it stays readable until the pin is closed, regardless of its
 * age.
 *
 * <p>In a cluster, or through a server, the pin is lost if its node or the client is disconnected
 * for more than a minute and the point is truncated meanwhile. Reads then throw {@link
 * io.github.stablecut.error.SnapshotTruncatedException}. Thread-safe.
 */
public interface Pin extends Snapshot, AutoCloseable {
  /** Releases the point. Idempotent. */
  @Override
  void close();
}
