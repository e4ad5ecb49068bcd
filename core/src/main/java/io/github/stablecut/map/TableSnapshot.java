package io.github.stablecut.map;

/** Tables as they were at one moment. Close it after use. Confined to one thread. */
public interface TableSnapshot extends TableReader, AutoCloseable {
  /**
   * Releases the snapshot. Later calls throw {@link
   * io.github.stablecut.error.StoreClosedException}. A scan that has begun continues, except one by
   * an index, which throws it too. Idempotent.
   */
  @Override
  void close();
}
