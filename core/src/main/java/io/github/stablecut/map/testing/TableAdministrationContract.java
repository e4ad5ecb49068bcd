package io.github.stablecut.map.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.RecordKey;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.SortOrder;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableRecord;
import io.github.stablecut.map.TableScan;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what users observe of tables' administration, on any storage. It also uses the tables of
 * {@link TableMapContract}.
 */
public abstract class TableAdministrationContract {
  /** Two levels of clustering, the second one descending. */
  static final Table EVENTS =
      Table.named("log", "events")
          .partitionKey("host", ColumnType.TEXT)
          .clusteringKey("day", ColumnType.INT)
          .clusteringKey("at", ColumnType.BIGINT, SortOrder.DESCENDING)
          .column("text", ColumnType.TEXT)
          .column("size", ColumnType.INT)
          .index("size");

  static final Table ACCOUNTS =
      Table.named("bank", "accounts")
          .partitionKey("owner", ColumnType.TEXT)
          .column("balance", ColumnType.BIGINT)
          .column("note", ColumnType.TEXT);

  @TempDir Path directory;

  TableMap map;

  /** Opens the tables in a directory, in the storage under test. */
  protected abstract TableMap open(Path data);

  @BeforeEach
  final void createTables() {
    map = open(directory.resolve("data"));
    for (Table table : List.of(EVENTS, ACCOUNTS)) {
      map.createNamespace(table.name().namespace());
      map.createTable(table);
    }
  }

  @AfterEach
  final void close() {
    map.close();
  }

  void restart() {
    map.close();
    map = open(directory.resolve("data"));
  }

  static RecordKey account(String owner) {
    return ACCOUNTS.key(owner);
  }

  long balance(String owner) {
    return map.get(account(owner)).orElseThrow().get("balance", Long.class).orElseThrow();
  }

  static Put event(String host, int day, long at) {
    return Put.of(EVENTS.key(host, day, at))
        .value("text", host + day + "/" + at)
        .value("size", (int) (at % 3));
  }

  List<String> texts(TableScan scan) {
    return map.scan(scan).toList().stream()
        .map(record -> record.get("text", String.class).orElse("-"))
        .toList();
  }

  static TableScan host(String host) {
    return TableScan.of(EVENTS.name(), host);
  }

  @Test
  void anIndexIsMadeOfWhatIsThereAndFollowsChangesOfTheTable() {
    map.mutate(event("a", 1, 1), event("b", 1, 2), Put.of(EVENTS.key("c", 1, 3L)));

    map.createIndex(EVENTS.name(), "text");
    assertThat(texts(TableScan.byIndex(EVENTS.name(), "text", "b1/2"))).containsExactly("b1/2");
    map.renameColumn(EVENTS.name(), "size", "bytes");
    assertThat(texts(TableScan.byIndex(EVENTS.name(), "bytes", 1))).containsExactly("a1/1");
    map.changeType(EVENTS.name(), "bytes", ColumnType.BIGINT);
    map.mutate(Put.of(EVENTS.key("d", 1, 4L)).value("text", "d").value("bytes", 1L << 40));
    assertThat(texts(TableScan.byIndex(EVENTS.name(), "bytes", 1L))).containsExactly("a1/1");
    assertThat(texts(TableScan.byIndex(EVENTS.name(), "bytes", 1L << 40))).containsExactly("d");
    map.dropIndex(EVENTS.name(), "bytes");
    assertThatThrownBy(() -> texts(TableScan.byIndex(EVENTS.name(), "bytes", 1L)))
        .isInstanceOf(SchemaException.class);
    map.createIndex(EVENTS.name(), "day");
    assertThat(map.scan(TableScan.byIndex(EVENTS.name(), "day", 1)).toList()).hasSize(4);
    restart();
    assertThat(texts(TableScan.byIndex(EVENTS.name(), "text", "b1/2"))).containsExactly("b1/2");
  }

  @Test
  void columnsComeGoAndChangeTheirNamesAndTypes() {
    map.mutate(Put.of(account("eve")).value("balance", 7L).value("note", "old"));

    map.addColumn(ACCOUNTS.name(), new Column("limit", ColumnType.INT));
    map.dropColumn(ACCOUNTS.name(), "note");
    map.addColumn(ACCOUNTS.name(), new Column("note", ColumnType.TEXT));
    map.changeType(ACCOUNTS.name(), "balance", ColumnType.TEXT);
    map.renameColumn(ACCOUNTS.name(), "owner", "holder");
    restart();
    TableRecord record = map.get(account("eve")).orElseThrow();
    assertThat(record.columns()).containsExactly("holder", "balance", "limit", "note");
    assertThat(record.get("note")).isEmpty();
    assertThat(record.get("balance")).contains("7");
    assertThatThrownBy(() -> map.changeType(ACCOUNTS.name(), "balance", ColumnType.INT))
        .isInstanceOf(SchemaException.class);
    assertThatThrownBy(() -> map.dropColumn(ACCOUNTS.name(), "holder"))
        .isInstanceOf(SchemaException.class);
    assertThatThrownBy(() -> map.addColumn(ACCOUNTS.name(), new Column("limit", ColumnType.INT)))
        .isInstanceOf(SchemaException.class);
    assertThatThrownBy(() -> map.renameColumn(ACCOUNTS.name(), "limit", "note"))
        .isInstanceOf(SchemaException.class);
  }

  @Test
  void bytesBecomeTextsOnlyIfTheyAreSome() {
    Table files =
        Table.named("log", "files")
            .partitionKey("name", ColumnType.TEXT)
            .column("data", ColumnType.BLOB)
            .index("data");
    map.createTable(files);
    map.mutate(
        Put.of(files.key("good")).value("data", Bytes.utf8("é")),
        Put.of(files.key("none")),
        Put.of(files.key("bad")).value("data", Bytes.wrap(new byte[] {-1, 65})));

    assertThatThrownBy(() -> map.changeType(files.name(), "data", ColumnType.TEXT))
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("[bad]")
        .hasMessageContaining("0xff41");
    assertThat(map.table(files.name())).contains(files);
    map.mutate(Put.of(files.key("bad")).withoutValue("data"));
    map.changeType(files.name(), "data", ColumnType.TEXT);
    assertThat(map.scan(TableScan.byIndex(files.name(), "data", "é")).toList())
        .extracting(TableRecord::key)
        .containsExactly(files.key("good"));
  }

  @Test
  void namespacesAndTablesAreListedAndTheirNamesDifferInCase() {
    map.createNamespace("Log");
    Table upper = Table.named("log", "Events").partitionKey("select", ColumnType.INT);
    map.createTable(upper);
    map.createTable(
        Table.named("Log", "出来事").partitionKey("鍵", ColumnType.TEXT).column("値", ColumnType.TEXT));

    assertThat(map.namespaces()).containsExactly("Log", "bank", "log");
    assertThat(map.tables("log")).containsExactly("Events", "events");
    assertThat(map.tables("Log")).containsExactly("出来事");
    assertThat(map.tables("lo")).isEmpty();
    assertThat(map.table(EVENTS.name())).contains(EVENTS);
    assertThat(map.table(new TableName("log", "EVENTS"))).isEmpty();
    map.mutate(Put.of(upper.key(1)));
    assertThat(map.scan(TableScan.all(EVENTS.name())).toList()).isEmpty();
    assertThatThrownBy(() -> map.createNamespace("log")).isInstanceOf(SchemaException.class);
    assertThatThrownBy(() -> map.createTable(upper)).isInstanceOf(SchemaException.class);
    assertThatThrownBy(() -> map.dropNamespace("log"))
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("Events");
    assertThatThrownBy(() -> map.dropNamespace("x")).isInstanceOf(SchemaException.class);
  }

  @Test
  void aTableThatWasDroppedTruncatedOrRenamedHasNoRecordsUnderItsOldName() {
    map.mutate(event("a", 1, 1), Put.of(account("eve")).value("balance", 1L));

    map.truncateTable(EVENTS.name());
    assertThat(map.scan(TableScan.all(EVENTS.name())).toList()).isEmpty();
    assertThat(texts(TableScan.byIndex(EVENTS.name(), "size", 1))).isEmpty();
    assertThatThrownBy(() -> map.renameTable(ACCOUNTS.name(), "accounts"))
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("table bank.accounts already exists");
    assertThatThrownBy(() -> map.renameTable(new TableName("bank", "x"), "x"))
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("there is no table bank.x");
    assertThat(map.get(account("eve"))).isPresent();
    map.renameTable(ACCOUNTS.name(), "purses");
    assertThatThrownBy(() -> map.get(account("eve"))).isInstanceOf(SchemaException.class);
    assertThat(map.get(new RecordKey(new TableName("bank", "purses"), List.of("eve"), List.of())))
        .isPresent();
    map.createTable(ACCOUNTS);
    assertThat(map.get(account("eve"))).isEmpty();
    map.dropTable(EVENTS.name());
    assertThat(map.hasTable(EVENTS.name())).isFalse();
    assertThatThrownBy(() -> map.dropTable(EVENTS.name())).isInstanceOf(SchemaException.class);
    map.createTable(EVENTS);
    restart();
    assertThat(map.scan(TableScan.all(EVENTS.name())).toList()).isEmpty();
    map.dropTable(EVENTS.name());
    map.dropNamespace("log");
    assertThat(map.namespaces()).containsExactly("bank");
  }

  @Test
  void repairingATableKeepsItsRecords() {
    map.mutate(Put.of(account("eve")).value("balance", 1L));

    map.repairTable(ACCOUNTS);
    assertThat(balance("eve")).isEqualTo(1);
    assertThat(map.table(ACCOUNTS.name())).contains(ACCOUNTS);
    map.repairTable(Table.named("fresh", "table").partitionKey("k", ColumnType.INT));
    assertThat(map.namespaces()).contains("fresh");
    assertThat(map.tables("fresh")).containsExactly("table");
  }

  @Test
  void aTableThatIsNotDamagedIsRepairedOnlyAsItIs() {
    map.mutate(event("a", 1, 1), event("a", 1, 2));
    Table base =
        Table.named(EVENTS.name())
            .partitionKey("host", ColumnType.TEXT)
            .clusteringKey("day", ColumnType.INT);
    Table reversed = base.clusteringKey("at", ColumnType.BIGINT);
    Table keys = base.clusteringKey("at", ColumnType.BIGINT, SortOrder.DESCENDING);
    Table partitioned = Table.named(EVENTS.name()).partitionKey("host", ColumnType.BLOB);

    refuseRepair(partitioned, "partition key is host TEXT, not host BLOB", "DESCENDING, not empty");
    refuseRepair(
        reversed.column("text", ColumnType.TEXT).column("size", ColumnType.INT).index("size"),
        "clustering key is day INT ASCENDING, at BIGINT DESCENDING, not day INT ASCENDING, at BIGINT ASCENDING");
    refuseRepair(keys.column("size", ColumnType.INT).index("size"), "has a column text TEXT");
    refuseRepair(EVENTS.column("more", ColumnType.INT), "has no column more INT");
    refuseRepair(
        keys.column("text", ColumnType.TEXT).column("size", ColumnType.BIGINT).index("size"),
        "column size INT is not size BIGINT");
    refuseRepair(EVENTS.index("text"), "has no index on text");
    refuseRepair(
        keys.column("text", ColumnType.TEXT).column("size", ColumnType.INT),
        "has an index on size");
    map.repairTable(
        keys.column("size", ColumnType.INT).column("text", ColumnType.TEXT).index("size"));
    assertThat(map.table(EVENTS.name())).contains(EVENTS);
    assertThat(texts(host("a"))).containsExactly("a1/2", "a1/1");
  }

  private void refuseRepair(Table table, String... differences) {
    assertThatThrownBy(() -> map.repairTable(table))
        .isInstanceOf(SchemaException.class)
        .hasMessageContainingAll(differences);
    assertThat(map.table(EVENTS.name())).contains(EVENTS);
  }
}
