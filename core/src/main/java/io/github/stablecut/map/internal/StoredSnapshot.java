package io.github.stablecut.map.internal;

import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.map.TableSnapshot;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordReader;
import io.github.stablecut.map.storage.RecordSnapshot;
import java.util.Collection;
import java.util.Map;

/** Tables in a snapshot of a storage. Confined to one thread. */
final class StoredSnapshot extends StoredReader implements TableSnapshot {
  private final OpenRecords records;

  StoredSnapshot(RecordSnapshot records, Schemas schemas) {
    this(new OpenRecords(records), schemas);
  }

  private StoredSnapshot(OpenRecords records, Schemas schemas) {
    super(records, schemas);
    this.records = records;
  }

  /**
   * The records until the snapshot is closed. A scan in progress continues after that, since it has
   * all that it needs. A scan by an index reads each record here, and ends with the snapshot.
   */
  private static final class OpenRecords implements RecordReader {
    private final RecordSnapshot snapshot;
    private boolean isClosed;

    OpenRecords(RecordSnapshot snapshot) {
      this.snapshot = snapshot;
    }

    private RecordSnapshot snapshot() {
      if (isClosed) {
        throw new StoreClosedException("the snapshot of the tables is closed: open another one");
      }
      return snapshot;
    }

    @Override
    public Map<RecordId, Cells> read(Collection<RecordId> ids) {
      return snapshot().read(ids);
    }

    @Override
    public RecordCursor scan(RecordRange range) {
      return snapshot().scan(range);
    }
  }

  @Override
  public void close() {
    records.isClosed = true;
    records.snapshot.close();
  }
}
