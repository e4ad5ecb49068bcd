package io.github.stablecut.map.storage;

/** The records as they were at one moment. To be closed. Confined to one thread. */
public interface RecordSnapshot extends RecordReader, AutoCloseable {
  /** Lets go of the moment. Idempotent. */
  @Override
  void close();
}
