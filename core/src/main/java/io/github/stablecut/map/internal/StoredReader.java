package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.RecordKey;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableCursor;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableReader;
import io.github.stablecut.map.TableRecord;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordReader;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads tables from records. As thread-safe as the reader. */
class StoredReader implements TableReader {
  private final RecordReader records;
  private final Schemas schemas;

  StoredReader(RecordReader records, Schemas schemas) {
    this.records = records;
    this.schemas = schemas;
  }

  final Schemas schemas() {
    return schemas;
  }

  @Override
  public Optional<TableRecord> get(RecordKey key, String... columns) {
    List<String> read = List.of(columns);
    return schemas.apply(
        records, Set.of(key.table()), tables -> get(tables.values().iterator().next(), key, read));
  }

  private Optional<TableRecord> get(Schema schema, RecordKey key, List<String> columns) {
    columns.forEach(schema::column);
    RecordId id = schema.id(key);
    return Optional.ofNullable(records.read(List.of(id)).get(id))
        .map(cells -> schema.record(new RecordEntry(id, cells), columns));
  }

  @Override
  public List<String> namespaces() {
    return Catalogue.entries(records, Catalogue.prefix('n')).stream()
        .map(entry -> Catalogue.namespaceOf(entry.id()))
        .sorted()
        .toList();
  }

  @Override
  public List<String> tables(String namespace) {
    return List.copyOf(TableNames.of(records, namespace).tables().keySet());
  }

  @Override
  public Optional<Table> table(TableName name) {
    return schemas
        .entry(records, name)
        .flatMap(table -> schemas.decode(name, table))
        .map(Schema::usable);
  }

  @Override
  public TableCursor scan(TableScan scan) {
    return scan(records, schemas.of(records, scan.table()), scan, () -> {});
  }

  /**
   * Begins a scan.
   *
   * @param records the records as of one moment, if the scan is by an index
   * @param release runs at the end of the scan
   */
  static TableCursor scan(RecordReader records, Schema schema, TableScan scan, Runnable release) {
    schema.check(scan.comparisons());
    scan.columns().forEach(schema::column);
    long read =
        scan.comparisons().isEmpty() && scan.index().isEmpty() ? scan.limit() : Long.MAX_VALUE;
    RecordCursor found = records.scan(range(schema, scan).ordered(scan.slice().isReversed(), read));
    return new Cursor(records, schema, scan, found, release);
  }

  private static RecordRange range(Schema schema, TableScan scan) {
    if (scan.index().isPresent()) {
      TableScan.IndexValue index = scan.index().get();
      schema.checkUsable(index.column());
      Column column = schema.column(index.column());
      return RecordRange.of(schema.place(), schema.lead(column, index.value()));
    }
    if (scan.partition().isEmpty()) {
      return RecordRange.of(schema.place(), Bytes.EMPTY);
    }
    return ClusteringRange.of(schema, schema.partition(scan.partition().get()), scan);
  }

  /** The records of a scan. */
  private static final class Cursor implements TableCursor {
    private final RecordReader records;
    private final Schema schema;
    private final TableScan scan;
    private final RecordCursor found;
    private final Runnable release;
    private long left;

    /** The record that was found and not returned yet; a failed read is retried from it. */
    private @Nullable RecordEntry entry;

    private @Nullable TableRecord next;
    private boolean isClosed;

    Cursor(
        RecordReader records, Schema schema, TableScan scan, RecordCursor found, Runnable release) {
      this.records = records;
      this.schema = schema;
      this.scan = scan;
      this.found = found;
      this.release = release;
      this.left = scan.limit();
    }

    @Override
    public boolean hasNext() {
      if (isClosed) {
        return false;
      }
      while (next == null && left > 0 && (entry != null || found.hasNext())) {
        RecordEntry read = entry == null ? found.next() : entry;
        entry = read;
        next = read(read);
        entry = null;
      }
      return next != null;
    }

    @Override
    public TableRecord next() {
      if (!hasNext()) {
        throw new NoSuchElementException("no further record of " + scan.table());
      }
      TableRecord record = Objects.requireNonNull(next);
      next = null;
      left--;
      return record;
    }

    private @Nullable TableRecord read(RecordEntry entry) {
      RecordEntry record = scan.index().isPresent() ? indexed(entry, scan.index().get()) : entry;
      return record != null && schema.holds(record, scan.comparisons())
          ? schema.record(record, scan.columns())
          : null;
    }

    /**
     * Returns the record of an index entry. It is null if the entry is a remnant of a value that
     * another data centre wrote concurrently with the record's.
     */
    private @Nullable RecordEntry indexed(RecordEntry entry, TableScan.IndexValue index) {
      RecordId id = RecordId.of(schema.place(), entry.id().partition(), entry.id().rest());
      Map<RecordId, Cells> cells = records.read(List.of(id));
      if (cells.isEmpty()) {
        return null;
      }
      RecordEntry record = new RecordEntry(id, cells.values().iterator().next());
      return schema.indexEntry(index.column(), record).filter(entry.id()::equals).isPresent()
          ? record
          : null;
    }

    @Override
    public void close() {
      isClosed = true;
      try {
        found.close();
      } finally {
        release.run();
      }
    }
  }
}
