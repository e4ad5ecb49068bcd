package io.github.stablecut.examples.rocksdb;

import io.github.stablecut.map.storage.RecordStorage;
import io.github.stablecut.map.storage.RecordStorageProvider;
import java.net.URI;
import java.nio.file.Path;

/** Opens {@code rocksdb:DIRECTORY}. Thread-safe. */
public final class RocksProvider implements RecordStorageProvider {
  @Override
  public String scheme() {
    return "rocksdb";
  }

  @Override
  public RecordStorage open(URI uri) {
    String directory = uri.getSchemeSpecificPart();
    if (directory.isEmpty() || directory.startsWith("//") || directory.contains("?")) {
      throw new IllegalArgumentException(
          "%s names no directory: use rocksdb:DIRECTORY".formatted(uri));
    }
    return new RocksRecords(Path.of(directory));
  }
}
