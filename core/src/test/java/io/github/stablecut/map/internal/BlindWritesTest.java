package io.github.stablecut.map.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Delete;
import io.github.stablecut.map.Mutation;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableAccess;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordReader;
import io.github.stablecut.map.storage.RecordSnapshot;
import io.github.stablecut.map.storage.RecordStorage;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unconditional writes do not read. */
final class BlindWritesTest {
  private static final int COLUMNS = 50;

  @TempDir Path directory;

  private Store store;
  private CountingStorage counting;
  private TableMap map;
  private Table table;

  @BeforeEach
  void open() {
    store = Stablecut.open(directory, StoreOptions.defaults().withPartitions(2));
    counting = new CountingStorage(new StoreRecords(store, false));
    map = TableMap.over(counting);
    table =
        Table.named("n", "t").partitionKey("p", ColumnType.TEXT).clusteringKey("c", ColumnType.INT);
    for (int i = 0; i < COLUMNS; i++) {
      table = table.column("v" + i, ColumnType.INT);
    }
    map.createNamespace("n");
    map.createTable(table);
    Put put = Put.of(table.key("a", 1));
    for (int i = 0; i < COLUMNS; i++) {
      put = put.value("v" + i, i);
    }
    map.mutate(put);
    counting.cells = 0;
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Makes mutations; returns the number of cells read from the table's records. */
  private int cells(Mutation... mutations) {
    counting.cells = 0;
    assertThat(map.mutate(mutations)).isTrue();
    return counting.cells;
  }

  private int value(String column) {
    return map.get(table.key("a", 1)).orElseThrow().get(column, Integer.class).orElseThrow();
  }

  @Test
  void unconditionalPutsAndDeletesReadNothing() {
    assertThat(cells(Put.of(table.key("a", 1)).value("v3", 33))).isZero();
    assertThat(value("v3")).isEqualTo(33);
    assertThat(value("v4")).isEqualTo(4);
    assertThat(
            cells(
                Delete.of(table.key("a", 1)),
                Put.of(table.key("a", 1)).value("v5", 55),
                Put.of(table.key("a", 2))))
        .isZero();
    assertThat(value("v5")).isEqualTo(55);
    assertThat(map.get(table.key("a", 1)).orElseThrow().get("v4")).isEmpty();
    assertThat(map.scan(TableScan.all(table.name())).toList()).hasSize(2);
  }

  @Test
  void readsTheDependenciesOfAConditionOrAnIndexEntry() {
    assertThat(cells(Put.of(table.key("a", 1)).value("v3", 33).ifExists())).isEqualTo(COLUMNS);
    map.createIndex(table.name(), "v0");
    assertThat(cells(Put.of(table.key("a", 1)).value("v3", 34))).isZero();
    assertThat(cells(Put.of(table.key("a", 1)).value("v0", 7))).isGreaterThanOrEqualTo(COLUMNS);
    assertThat(map.scan(TableScan.byIndex(table.name(), "v0", 7)).toList()).hasSize(1);
    assertThat(map.scan(TableScan.byIndex(table.name(), "v0", 0)).toList()).isEmpty();
    assertThat(cells(Delete.of(table.key("a", 1)))).isGreaterThanOrEqualTo(COLUMNS);
    assertThat(map.scan(TableScan.byIndex(table.name(), "v0", 7)).toList()).isEmpty();
    map.createIndex(table.name(), "c");
    assertThat(map.mutate(Put.of(table.key("a", 5)).value("v3", 1))).isTrue();
    assertThat(map.scan(TableScan.byIndex(table.name(), "c", 5)).toList()).hasSize(1);
  }

  @Test
  void aTransactionSeesItsBlindWrites() {
    try (Transaction transaction = store.begin()) {
      TableAccess tables = TableMap.in(transaction);
      assertThat(tables.mutate(Put.of(table.key("a", 1)).value("v3", 33))).isTrue();
      assertThat(tables.mutate(Put.of(table.key("a", 1)).value("v4", 1).ifExists())).isTrue();
      assertThat(tables.get(table.key("a", 1), "v3").orElseThrow().get("v3")).contains(33);
      assertThat(value("v3")).isEqualTo(3);
      transaction.commit();
    }
    assertThat(value("v3")).isEqualTo(33);
  }

  /** A storage that counts the cells of tables that it returns. */
  private static final class CountingStorage implements RecordStorage {
    private final RecordStorage records;
    private int cells;

    CountingStorage(RecordStorage records) {
      this.records = records;
    }

    private Map<RecordId, Cells> count(Map<RecordId, Cells> found) {
      found.forEach(
          (id, shown) -> cells += id.space().equals(Catalogue.SPACE) ? 0 : shown.values().size());
      return found;
    }

    @Override
    public Map<RecordId, Cells> read(Collection<RecordId> ids) {
      return count(records.read(ids));
    }

    @Override
    public RecordCursor scan(RecordRange range) {
      return records.scan(range);
    }

    @Override
    public <R> R compute(
        Collection<RecordId> ids, Function<Map<RecordId, Cells>, Computed<R>> function) {
      return records.compute(ids, found -> function.apply(count(found)));
    }

    @Override
    public void write(List<RecordChange> changes) {
      records.write(changes);
    }

    @Override
    public RecordSnapshot snapshot() {
      return records.snapshot();
    }

    @Override
    public void clear(Bytes space, Bytes leadPrefix, Predicate<? super RecordReader> goesOn) {
      records.clear(space, leadPrefix, goesOn);
    }

    @Override
    public void close() {
      records.close();
    }
  }
}
