package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.UnavailableException;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordStorage;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts the records of a table into an index, many in one write, so that they share a sync. A write
 * that conflicts with others, or is too large, is split in halves. Confined to its thread.
 */
final class IndexBuild {
  /**
   * The maximum number of records in a write. With their entries, they are as many objects as the
   * store deletes at once.
   */
  static final int MAX_RECORDS = 500;

  /** The maximum size of the records of a write, which are in memory together. */
  private static final long MAX_BYTES = 4 << 20;

  private final RecordStorage storage;
  private final Schema schema;
  private final String column;
  private final int maxRecords;
  private List<IndexedRecord> batch = new ArrayList<>();
  private long bytes;

  /** A record as it was scanned, with its index entry. */
  private record IndexedRecord(RecordId record, RecordId entry) {}

  /**
   * Creates a build of the index on a column.
   *
   * @param maxRecords the maximum number of records in a write
   */
  IndexBuild(RecordStorage storage, Schema schema, String column, int maxRecords) {
    this.storage = storage;
    this.schema = schema;
    this.column = column;
    this.maxRecords = maxRecords;
  }

  /** Puts all records into the index. */
  void run() {
    try (RecordCursor all = storage.scan(RecordRange.of(schema.place(), Bytes.EMPTY))) {
      all.forEachRemaining(this::add);
    }
    write();
  }

  private void add(RecordEntry record) {
    schema
        .indexEntry(column, record)
        .ifPresent(entry -> batch.add(new IndexedRecord(record.id(), entry)));
    bytes += record.cells().values().values().stream().mapToLong(Bytes::length).sum();
    if (batch.size() >= maxRecords || bytes >= MAX_BYTES) {
      write();
    }
  }

  private void write() {
    List<IndexedRecord> full = batch;
    batch = new ArrayList<>();
    bytes = 0;
    if (!full.isEmpty()) {
      write(full);
    }
  }

  private void write(List<IndexedRecord> some) {
    Set<RecordId> ids = new LinkedHashSet<>();
    some.forEach(
        one -> {
          ids.add(one.record);
          ids.add(one.entry);
        });
    try {
      storage.compute(ids, found -> new Computed<>(entries(some, found), true));
    } catch (UnavailableException e) {
      throw e; // Smaller writes would also wait for the unavailable part.
    } catch (RetryException | LimitExceededException e) {
      if (some.size() == 1) {
        throw e;
      }
      int half = some.size() / 2;
      write(some.subList(0, half));
      write(some.subList(half, some.size()));
    }
  }

  /**
   * Returns the entries of unchanged records. Writers of the others have put the entries
   * themselves.
   */
  private List<RecordChange> entries(List<IndexedRecord> some, Map<RecordId, Cells> found) {
    List<RecordChange> entries = new ArrayList<>();
    for (IndexedRecord one : some) {
      Cells cells = found.get(one.record);
      if (cells != null
          && schema
              .indexEntry(column, new RecordEntry(one.record, cells))
              .filter(one.entry::equals)
              .isPresent()) {
        entries.add(new RecordChange.Write(one.entry, Map.of()));
      }
    }
    return entries;
  }
}
