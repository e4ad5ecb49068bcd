package io.github.stablecut.map.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.NoConnectorException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Comparison;
import io.github.stablecut.map.Delete;
import io.github.stablecut.map.MemoryRecords;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.RecordKey;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.SteppedRecords;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableAccess;
import io.github.stablecut.map.TableCursor;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableReader;
import io.github.stablecut.map.TableRecord;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.testing.TableMapContract;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables in a store. */
class StoreTablesTest {
  @Nested
  class OnePartition extends TableMapContract {
    @Override
    protected TableMap open(Path data) {
      return TableMap.open("stablecut:" + data);
    }
  }

  @Nested
  class FourPartitions extends TableMapContract {
    @Override
    protected TableMap open(Path data) {
      return TableMap.open("stablecut:" + data + "?partitions=4&durability=periodic(1s)");
    }
  }

  /** The reference implementation keeps the contract, too. */
  @Nested
  class InMemory extends TableMapContract {
    private final MemoryRecords records = new MemoryRecords();

    @Override
    protected TableMap open(Path data) {
      return TableMap.over(records);
    }
  }

  private static final Table STOCK =
      Table.named("shop", "stock")
          .partitionKey("article", ColumnType.TEXT)
          .column("count", ColumnType.INT)
          .index("count");
  private static final CounterKey SALES = Key.counter("shop", "sales");

  @TempDir Path directory;

  private Store openWithStock() {
    return openWithStock("data");
  }

  private Store openWithStock(String name) {
    Store store = Stablecut.open(directory.resolve(name));
    try (TableMap map = TableMap.over(store)) {
      map.createNamespace("shop");
      map.createTable(STOCK);
      map.mutate(Put.of(STOCK.key("pen")).value("count", 3));
    }
    return store;
  }

  private static int count(TableReader tables) {
    return tables.get(STOCK.key("pen")).orElseThrow().get("count", Integer.class).orElseThrow();
  }

  @Test
  void recordsAreWrittenInTransactionsBesideOtherObjects() {
    try (Store store = openWithStock()) {
      try (Transaction transaction = store.begin()) {
        TableAccess tables = TableMap.in(transaction);
        assertThat(
                tables.mutate(
                    Put.of(STOCK.key("pen"))
                        .value("count", 2)
                        .onlyIf(Comparison.equal("count", 3))))
            .isTrue();
        assertThat(
                tables.mutate(
                    Put.of(STOCK.key("pen"))
                        .value("count", 1)
                        .onlyIf(Comparison.equal("count", 3))))
            .isFalse();
        transaction.update(SALES.increment());
        assertThat(count(tables)).isEqualTo(2);
        assertThat(tables.scan(TableScan.byIndex(STOCK.name(), "count", 2)).toList()).hasSize(1);
        assertThat(tables.scan(TableScan.byIndex(STOCK.name(), "count", 3)).toList()).isEmpty();
        assertThat(count(TableMap.over(store))).isEqualTo(3);
        transaction.commit();
      }
      assertThat(count(TableMap.over(store))).isEqualTo(2);
      assertThat(store.read(SALES)).isEqualTo(1);
    }
  }

  @Test
  void refusesACertifiedTransactionIfARecordThatItReadHasChanged() {
    try (Store store = openWithStock();
        Transaction transaction =
            store.begin(TransactionOptions.defaults().certify(Certification.READS_WRITES))) {
      assertThat(count(TableMap.in(transaction))).isEqualTo(3);
      transaction.update(SALES.increment());
      TableMap.over(store).mutate(Put.of(STOCK.key("pen")).value("count", 0));
      assertThatThrownBy(transaction::commit).isInstanceOf(ConflictException.class);
    }
  }

  private static List<TableRecord> withCount(TableReader tables, int count) {
    return tables.scan(TableScan.byIndex(STOCK.name(), "count", count)).toList();
  }

  @Test
  void anIndexFindsARecordWhoseValueWasPutAgainDuringAnotherPut() {
    for (boolean isLast : List.of(true, false)) {
      try (Store store = openWithStock(isLast ? "last" : "first");
          Transaction changing = store.begin();
          Transaction repeating = store.begin()) {
        TableMap.in(changing).mutate(Put.of(STOCK.key("pen")).value("count", 4));
        TableMap.in(repeating).mutate(Put.of(STOCK.key("pen")).value("count", 3));
        (isLast ? changing : repeating).commit();
        (isLast ? repeating : changing).commit();

        TableMap map = TableMap.over(store);
        assertThat(count(map)).isEqualTo(isLast ? 3 : 4);
        assertThat(withCount(map, 3)).hasSize(isLast ? 1 : 0);
        assertThat(withCount(map, 4)).hasSize(isLast ? 0 : 1);
      }
    }
  }

  @Test
  void anIndexOnAKeyColumnFindsARecordPutDuringItsDeletion() {
    Table sizes =
        Table.named("shop", "sizes")
            .partitionKey("article", ColumnType.TEXT)
            .clusteringKey("size", ColumnType.INT)
            .column("count", ColumnType.INT)
            .index("article")
            .index("size");
    RecordKey pen = sizes.key("pen", 7);
    for (boolean isLast : List.of(true, false)) {
      try (Store store = openWithStock(isLast ? "last" : "first")) {
        TableMap map = TableMap.over(store);
        map.createTable(sizes);
        map.mutate(Put.of(pen).value("count", 3));
        try (Transaction deleting = store.begin();
            Transaction putting = store.begin()) {
          TableMap.in(deleting).mutate(Delete.of(pen));
          TableMap.in(putting).mutate(Put.of(pen).value("count", 4));
          (isLast ? deleting : putting).commit();
          (isLast ? putting : deleting).commit();
        }

        assertThat(map.get(pen).orElseThrow().get("count")).contains(4);
        assertThat(map.scan(TableScan.byIndex(sizes.name(), "size", 7)).toList()).hasSize(1);
        assertThat(map.scan(TableScan.byIndex(sizes.name(), "article", "pen")).toList()).hasSize(1);
        map.mutate(Delete.of(pen));
        assertThat(map.scan(TableScan.byIndex(sizes.name(), "size", 7)).toList()).isEmpty();
      }
    }
  }

  @Test
  void refusesNullAsConditionTypeOrOrder() {
    assertThatThrownBy(() -> new Put(STOCK.key("pen"), Map.of(), nothing()))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> new Delete(STOCK.key("pen"), nothing()))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> STOCK.clusteringKey("c", ColumnType.INT, nothing()))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("order");
    assertThatThrownBy(() -> STOCK.column("c", nothing()))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("type");
    Put put = Put.of(STOCK.key("pen"));
    TableScan scan = TableScan.of(STOCK.name(), "pen");
    Map<String, ThrowingCallable> calls =
        Map.of(
            "put of a column", () -> put.value(nothing(), 1),
            "put of a value", () -> put.value("count", nothing()),
            "key", () -> new RecordKey(nothing(), List.of(), List.of()),
            "scan", () -> TableScan.all(nothing()),
            "index", () -> TableScan.byIndex(STOCK.name(), nothing(), 1),
            "value of an index", () -> TableScan.byIndex(STOCK.name(), "count", nothing()),
            "bound", () -> scan.from(nothing()),
            "column of a comparison", () -> Comparison.equal(nothing(), 1),
            "value of a comparison", () -> Comparison.equal("count", nothing()),
            "operator", () -> new Comparison("count", nothing(), Optional.of(1)));
    calls.forEach(
        (what, call) -> assertThatThrownBy(call).as(what).isInstanceOf(NullPointerException.class));
  }

  // as a caller without null checks may do
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return (T) null;
  }

  @Test
  void reportsTablesOfEarlierBuilds() {
    try (Store store = openWithStock()) {
      store.update(
          RecordNames.key(Catalogue.namespace("old"), RecursiveResetMap.TYPE)
              .update(
                  new RecursiveResetMap.Update<>(
                      new MapKey<>(Bytes.EMPTY, LwwRegister.TYPE),
                      new LwwRegister.Assign(Bytes.EMPTY))));
      assertThatThrownBy(() -> TableMap.over(store).namespaces())
          .isInstanceOf(FormatException.class)
          .hasMessageContaining(
              "a recursive-reset map instead of a record of a table, as in tables of earlier versions");
    }
  }

  @Test
  void aCursorOfATransactionEndsWithIt() {
    try (Store store = openWithStock();
        Transaction transaction = store.begin()) {
      TableAccess tables = TableMap.in(transaction);
      tables.mutate(Put.of(STOCK.key("ink")));
      TableCursor cursor = tables.scan(TableScan.all(STOCK.name()));
      assertThat(cursor.hasNext()).isTrue();
      transaction.abort();
      assertThatThrownBy(cursor::hasNext).isInstanceOf(TransactionEndedException.class);
      assertThatThrownBy(cursor::next).isInstanceOf(TransactionEndedException.class);
      cursor.close();
    }
  }

  @Test
  void aScanSeesATableAndItsRecordsAtOneMoment() {
    MemoryRecords records = new MemoryRecords();
    SteppedRecords stepped = new SteppedRecords(records);
    try (TableMap map = TableMap.over(stepped);
        TableMap other = TableMap.over(records)) {
      map.createNamespace("shop");
      map.createTable(STOCK);
      map.mutate(Put.of(STOCK.key("pen")), Put.of(STOCK.key("ink")));
      stepped.beforeSnapshots(
          () -> {
            other.truncateTable(STOCK.name());
            other.addColumn(STOCK.name(), new Column("colour", ColumnType.TEXT));
            other.mutate(Put.of(STOCK.key("cup")).value("colour", "red"));
          });

      List<TableRecord> found = map.scan(TableScan.all(STOCK.name())).toList();

      assertThat(found).hasSize(1);
      assertThat(found.get(0).get("colour")).contains("red");
    }
  }

  @Test
  void aCallSeesAConcurrentChangeOfItsTable() {
    Table counted =
        Table.named("shop", "counted")
            .partitionKey("article", ColumnType.TEXT)
            .column("count", ColumnType.INT)
            .column("colour", ColumnType.TEXT);
    RecordKey pen = counted.key("pen");
    MemoryRecords records = new MemoryRecords();
    SteppedRecords stepped = new SteppedRecords(records);
    try (TableMap map = TableMap.over(stepped);
        TableMap other = TableMap.over(records)) {
      map.createNamespace("shop");
      map.createTable(counted);
      map.mutate(Put.of(pen).value("count", 1));
      Runnable change =
          () -> {
            other.changeType(counted.name(), "count", ColumnType.TEXT);
            other.mutate(Put.of(pen).value("count", "many"));
          };

      Steps reads = new Steps(2, change);
      stepped.beforeReadsOf(ids -> reads.next());
      assertThat(map.get(pen).orElseThrow().get("count")).contains("many");

      map.dropColumn(counted.name(), "count");
      map.addColumn(counted.name(), new Column("count", ColumnType.INT));
      map.mutate(Put.of(pen).value("count", 1));
      Steps writes = new Steps(1, change);
      stepped.before(writes::next);
      Put put = Put.of(pen).value("colour", "red").onlyIf(Comparison.equal("count", 1));
      // The comparison is with a number, which no longer fits the column.
      assertThatThrownBy(() -> map.mutate(put)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** Runs an action at a certain step. */
  private static final class Steps {
    private final Runnable action;
    private int left;

    Steps(int at, Runnable action) {
      this.left = at;
      this.action = action;
    }

    void next() {
      if (--left == 0) {
        action.run();
      }
    }
  }

  @Test
  void reportsSizeLimitsInTermsOfTables() {
    Table notes = STOCK.column("note", ColumnType.TEXT).index("note");
    String tooLong = "x".repeat(40_000);
    try (TableMap map =
        TableMap.open("stablecut:" + directory.resolve("small") + "?value-bytes=2000000")) {
      map.createNamespace("shop");
      map.createTable(notes);
      assertThatThrownBy(() -> map.mutate(Put.of(notes.key(tooLong))))
          .isInstanceOf(LimitExceededException.class)
          .hasMessageContaining("the key of a record has 40,");
      assertThatThrownBy(() -> map.mutate(Put.of(notes.key("pen")).value("note", tooLong)))
          .isInstanceOf(LimitExceededException.class)
          .hasMessageContaining("an indexed value and the key of its record have 40,");
      map.dropIndex(notes.name(), "note");
      assertThatThrownBy(
              () ->
                  map.mutate(
                      Put.of(notes.key("pen")).value("note", "x".repeat(2_000_000)),
                      Put.of(notes.key("ink"))))
          .isInstanceOf(LimitExceededException.class)
          .hasMessageContaining("writes of 2 records and index entries with 2,000,00");
      assertThat(map.scan(TableScan.all(notes.name())).toList()).isEmpty();
    }
  }

  @Test
  void doesNotDropANamespaceThatGainsATable() {
    MemoryRecords records = new MemoryRecords();
    SteppedRecords stepped = new SteppedRecords(records);
    TableMap map = TableMap.over(stepped);
    map.createNamespace("shop");
    TableMap other = TableMap.over(records);
    for (boolean isRepaired : new boolean[] {false, true}) {
      stepped.before(
          () -> {
            stepped.before(() -> {});
            if (isRepaired) {
              other.repairTable(STOCK);
            } else {
              other.createTable(STOCK);
            }
          });
      assertThatThrownBy(() -> map.dropNamespace("shop"))
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("has tables, [stock]");
      map.dropTable(STOCK.name());
    }
    map.dropNamespace("shop");
    assertThat(map.namespaces()).isEmpty();
  }

  @Test
  void doesNotRenameToANameThatATableTakesMeanwhile() {
    MemoryRecords records = new MemoryRecords();
    SteppedRecords stepped = new SteppedRecords(records);
    TableMap map = TableMap.over(stepped);
    TableMap other = TableMap.over(records);
    map.createNamespace("shop");
    Table pens = Table.named("shop", "pens").partitionKey("colour", ColumnType.TEXT);
    for (boolean isCreated : new boolean[] {false, true}) {
      other.createTable(pens);
      stepped.before(
          () -> {
            stepped.before(() -> {});
            other.createTable(STOCK);
          });
      assertThatThrownBy(
              () -> {
                if (isCreated) {
                  map.createTable(STOCK.column("price", ColumnType.INT));
                } else {
                  map.renameTable(pens.name(), "stock");
                }
              })
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("table shop.stock already exists");
      assertThat(map.tables("shop")).containsExactly("pens", "stock");
      assertThat(map.table(STOCK.name())).contains(STOCK);
      map.dropTable(STOCK.name());
      map.dropTable(pens.name());
    }
  }

  @Test
  void droppedTablesLeaveLittle() {
    MemoryRecords records = new MemoryRecords();
    TableMap map = TableMap.over(records);
    map.createNamespace("shop");
    for (int i = 0; i < 10; i++) {
      map.createTable(STOCK);
      map.mutate(Put.of(STOCK.key("pen")).value("count", i));
      map.truncateTable(STOCK.name());
      map.dropTable(STOCK.name());
    }
    TableMap reopened = TableMap.over(records);

    assertThat(reopened.tables("shop")).isEmpty();
    // The namespace, and the marker that keeps another table from reusing the first one's id.
    assertThat(records.ids()).hasSize(2);
  }

  @Test
  void aScanIsOfAPartitionOrByAnIndex() {
    TableScan all = TableScan.of(STOCK.name(), "pen");
    assertThatThrownBy(
            () ->
                new TableScan(
                    all.table(),
                    all.partition(),
                    Optional.of(new TableScan.IndexValue("count", 3)),
                    all.slice(),
                    1,
                    List.of(),
                    List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not both");
  }

  @Test
  void readsTablesOfThePast() {
    try (Store store = openWithStock()) {
      CausalToken before = store.snapshot().token();
      TableMap map = TableMap.over(store);
      map.mutate(Put.of(STOCK.key("pen")).value("count", 9));
      map.mutate(Put.of(STOCK.key("ink")).value("count", 3));

      TableReader past = TableMap.at(store.at(before));
      assertThat(count(past)).isEqualTo(3);
      assertThat(past.scan(TableScan.all(STOCK.name())).toList()).hasSize(1);
      assertThat(past.scan(TableScan.byIndex(STOCK.name(), "count", 3)).toList())
          .extracting(TableRecord::key)
          .containsExactly(STOCK.key("pen"));
    }
  }

  @Test
  void aRecordAndItsIndexEntriesAreOnOnePartition() {
    for (String partition : new String[] {"{", "}", "z{|}", "a", "{x}y"}) {
      var record = RecordId.of(utf8("t"), utf8(partition), utf8("r{1}"));
      var entry = new RecordId(utf8("t"), utf8("\0{le}ad|"), utf8(partition), utf8("r{1}"));
      try (Store store =
          Stablecut.open(
              directory.resolve(String.valueOf((int) partition.charAt(0)) + partition.length()),
              StoreOptions.defaults().withPartitions(16))) {
        assertThat(store.partitionOf(RecordObjects.key(entry)))
            .isEqualTo(store.partitionOf(RecordObjects.key(record)));
      }
      assertThat(RecordNames.id(utf8("t"), RecordObjects.key(record).key())).isEqualTo(record);
      assertThat(RecordNames.id(utf8("t"), RecordObjects.key(entry).key())).isEqualTo(entry);
    }
  }

  private static Bytes utf8(String text) {
    return Bytes.utf8(text);
  }

  @Test
  void removesTheRemainsOfADroppedTableAfterACrash() {
    try (Store store = openWithStock()) {
      var records = new StoreRecords(store, false);
      var names = TableNames.of(records, "shop");
      var table = names.find(STOCK.name()).orElseThrow();
      var place = table.place();
      assertThat(
              names
                  .seen(STOCK.name())
                  .write(
                      records,
                      List.of(table.drop(), new RecordChange.Remove(Catalogue.name(STOCK.name())))))
          .isTrue();
      TableMap map = TableMap.over(store);
      assertThat(map.tables("shop")).isEmpty();
      try (var left = store.snapshot().scan(ScanOptions.bucket(place))) {
        assertThat(left.hasNext()).isFalse();
      }
    }
  }

  @Test
  void repairsATableWithLostOrDamagedSchemaWithItsRecordsAndIndexes() {
    for (Optional<Bytes> schema : List.of(Optional.<Bytes>empty(), Optional.of(utf8("?")))) {
      try (Store store = openWithStock("data" + schema.isPresent())) {
        var records = new StoreRecords(store, false);
        var id = Catalogue.table(Schema.of(STOCK, RecordSpaces.first(STOCK)).id());
        records.compute(
            Set.of(id, Catalogue.namespace("shop")),
            found ->
                new Computed<>(
                    List.of(
                        new RecordChange.Write(id, Map.of(Catalogue.SCHEMA, schema)),
                        new RecordChange.Remove(Catalogue.namespace("shop"))),
                    true));
        TableMap map = TableMap.over(store);
        assertThatThrownBy(() -> count(map))
            .isInstanceOfAny(SchemaException.class, FormatException.class);
        map.repairTable(STOCK);
        assertThat(count(map)).isEqualTo(3);
        assertThat(withCount(map, 3)).hasSize(1);
        assertThat(map.namespaces()).containsExactly("shop");
        assertThat(Catalogue.entries(records, Catalogue.prefix('i'))).isEmpty();
      }
    }
  }

  @Test
  void findsATableWithALostRecordByItsLocationRecord() {
    try (Store store = openWithStock()) {
      TableMap map = TableMap.over(store);
      map.dropColumn(STOCK.name(), "count");
      map.addColumn(STOCK.name(), new Column("count", ColumnType.INT));
      map.createIndex(STOCK.name(), "count");
      map.mutate(Put.of(STOCK.key("pen")).value("count", 4));
      var records = new StoreRecords(store, false);
      var id = Catalogue.table(Schema.of(STOCK, RecordSpaces.first(STOCK)).id());
      records.compute(
          Set.of(id), found -> new Computed<>(List.of(new RecordChange.Remove(id)), true));

      map.repairTable(STOCK);
      assertThat(count(map)).isEqualTo(4);
      assertThat(withCount(map, 4)).hasSize(1);
      assertThat(TableMap.over(store).tables("shop")).containsExactly("stock");
    }
  }

  @Test
  void encodesDirectoryNamesWithPercentSigns() {
    for (String name : List.of("a b", "a%20b", "a#b", "a?b&c=d", "ä+")) {
      Path wanted = directory.resolve(name);
      URI uri = URI.create("stablecut:" + wanted.toUri().getRawPath() + "?partitions=2");
      TableMap.open(uri.toString()).close();
      assertThat(wanted).isDirectory();
      try (Store store = Stablecut.openExisting(wanted)) {
        assertThat(store.status().partitions()).isEqualTo(2);
      }
    }
  }

  @Test
  void refusesAUriThatNamesNoStorage() {
    assertThatThrownBy(() -> TableMap.open("nothing:x")).isInstanceOf(NoConnectorException.class);
    for (String bad :
        new String[] {
          "data",
          "stablecut:",
          "stablecut:///h",
          "stablecut:d?x=1",
          "stablecut:d?partitions=x",
          "stablecut:d?partitions=0",
          "stablecut:d?partitions=2&partitions=2",
          "stablecut:d#x",
          "stablecut:d?durability=never",
          "stablecut:d?x",
          "a b:c"
        }) {
      assertThatThrownBy(() -> TableMap.open(bad))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
