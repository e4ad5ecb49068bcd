package io.github.stablecut.examples.ycsb;

import java.util.List;
import java.util.Optional;

/** Where records are, by their keys. Thread-safe. */
interface RecordStore extends AutoCloseable {
  /** The name, for figures. */
  String name();

  /** A record; empty if there is none. */
  Optional<byte[]> get(String key);

  /** Writes a record, whatever was there. */
  void put(String key, byte[] value);

  /** Removes a record. */
  void delete(String key);

  /** The first records at or after a key. */
  List<byte[]> scan(String from, int count);

  @Override
  void close();
}
