package io.github.stablecut.map;

import io.github.stablecut.map.storage.RecordSnapshot;

/** Tables in a snapshot of a storage. Confined to one thread. */
final class StoredSnapshot extends StoredReader implements TableSnapshot {
  private final RecordSnapshot records;

  StoredSnapshot(RecordSnapshot records, Schemas schemas) {
    super(records, schemas);
    this.records = records;
  }

  @Override
  public void close() {
    records.close();
  }
}
