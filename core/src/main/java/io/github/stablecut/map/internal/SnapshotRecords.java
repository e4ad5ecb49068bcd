package io.github.stablecut.map.internal;

import io.github.stablecut.Snapshot;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordSnapshot;
import java.util.Collection;
import java.util.Map;

/** Records of a snapshot of a store. As thread-safe as the snapshot. */
public final class SnapshotRecords implements RecordSnapshot {
  private final Snapshot snapshot;
  private final Runnable release;

  /**
   * Creates the records of a snapshot.
   *
   * @param release releases the snapshot
   */
  public SnapshotRecords(Snapshot snapshot, Runnable release) {
    this.snapshot = snapshot;
    this.release = release;
  }

  @Override
  public Map<RecordId, Cells> read(Collection<RecordId> ids) {
    return RecordObjects.read(snapshot, ids);
  }

  @Override
  public RecordCursor scan(RecordRange range) {
    return RecordObjects.cursor(snapshot.scan(RecordNames.options(range)), range.limit());
  }

  @Override
  public void close() {
    release.run();
  }
}
