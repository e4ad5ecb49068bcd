package io.github.stablecut.map.storage;

import java.net.URI;

/**
 * Opens storages of one kind: found by {@link java.util.ServiceLoader} for {@link
 * io.github.stablecut.map.TableMap#open}. Thread-safe.
 */
public interface RecordStorageProvider {
  /** The scheme of the URIs that it opens, such as {@code rocksdb}. */
  String scheme();

  /**
   * Opens the storage that a URI of its scheme stands for.
   *
   * @throws IllegalArgumentException if the URI is none of its own; the message says how one looks
   */
  RecordStorage open(URI uri);
}
