package io.github.stablecut.map.storage;

/** The records as they were at one moment. Close it after use. Confined to one thread. */
public interface RecordSnapshot extends RecordReader, AutoCloseable {
  /** Releases the snapshot. Idempotent. */
  @Override
  void close();
}
