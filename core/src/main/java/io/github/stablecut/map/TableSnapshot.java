package io.github.stablecut.map;

/** Tables as they were at one moment. To be closed. Confined to one thread. */
public interface TableSnapshot extends TableReader, AutoCloseable {
  /**
   * Lets go of the moment. Later calls throw {@link
   * io.github.stablecut.error.StoreClosedException}; a scan that has begun goes on, but for one by
   * an index, which throws it, too. Idempotent.
   */
  @Override
  void close();
}
