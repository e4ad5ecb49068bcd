package io.github.stablecut.examples.ycsb;

import java.util.List;
import java.util.Optional;

/** A store of records by key. Thread-safe. */
interface RecordStore extends AutoCloseable {
  /** The name in the output. */
  String name();

  /** Reads a record; empty if it does not exist. */
  Optional<byte[]> get(String key);

  /** Writes or replaces a record. */
  void put(String key, byte[] value);

  /** Removes a record. */
  void delete(String key);

  /** The first records at or after a key. */
  List<byte[]> scan(String from, int count);

  @Override
  void close();
}
