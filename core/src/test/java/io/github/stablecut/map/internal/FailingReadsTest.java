package io.github.stablecut.map.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.MemoryRecords;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableCursor;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordReader;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Reads of a storage that occasionally fail and are retried. */
final class FailingReadsTest {
  private static final int RECORDS = 6;
  private static final Table TABLE =
      Table.named("n", "t")
          .partitionKey("p", ColumnType.INT)
          .column("v", ColumnType.INT)
          .index("v");

  /** Every other read of records fails. */
  private static final class EveryOther implements RecordReader {
    private final RecordReader records;
    private int reads;

    EveryOther(RecordReader records) {
      this.records = records;
    }

    @Override
    public Map<RecordId, Cells> read(Collection<RecordId> ids) {
      if (reads++ % 2 == 1) {
        throw new ReadTimeoutException("the server is away");
      }
      return records.read(ids);
    }

    @Override
    public RecordCursor scan(RecordRange range) {
      return records.scan(range);
    }
  }

  @Test
  void aCursorByAnIndexOmitsNothingAfterAFailure() {
    MemoryRecords records = new MemoryRecords();
    TableMap map = TableMap.over(records);
    map.createNamespace("n");
    map.createTable(TABLE);
    for (int i = 0; i < RECORDS; i++) {
      map.mutate(Put.of(TABLE.key(i)).value("v", 1));
    }
    Schemas schemas = new Schemas();
    assertThat(new StoredReader(records, schemas).scan(TableScan.all(TABLE.name())).toList())
        .hasSize(RECORDS);

    List<Object> found = new ArrayList<>();
    int failures = 0;
    try (TableCursor cursor =
        StoredReader.scan(
            new EveryOther(records),
            schemas.of(records, TABLE.name()),
            TableScan.byIndex(TABLE.name(), "v", 1),
            () -> {})) {
      boolean isAtEnd = false;
      while (!isAtEnd) {
        try {
          isAtEnd = !cursor.hasNext();
          if (!isAtEnd) {
            found.add(cursor.next().get("p").orElseThrow());
          }
        } catch (ReadTimeoutException e) {
          failures++;
        }
      }
    }

    assertThat(found).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
    assertThat(failures).isGreaterThan(RECORDS / 2);
  }
}
