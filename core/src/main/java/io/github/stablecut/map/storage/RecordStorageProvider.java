package io.github.stablecut.map.storage;

import java.net.URI;

/**
 * Opens storages of one kind; {@link io.github.stablecut.map.TableMap#open} finds providers with
 * {@link java.util.ServiceLoader}. Thread-safe.
 */
public interface RecordStorageProvider {
  /** The scheme of the URIs that it opens, such as {@code rocksdb}. */
  String scheme();

  /**
   * Opens the storage that a URI of its scheme identifies.
   *
   * @throws IllegalArgumentException if the URI is invalid; the message describes the valid form
   */
  RecordStorage open(URI uri);
}
