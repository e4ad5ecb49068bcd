package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableReader;
import io.github.stablecut.map.TableScan;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two data centres create, truncate, rename and drop tables concurrently. */
final class TablesOfDataCentresTest {
  private static final Table USERS =
      Table.named("app", "users")
          .partitionKey("name", ColumnType.TEXT)
          .column("age", ColumnType.INT)
          .index("age");
  private static final Table OTHER_USERS =
      Table.named("app", "users")
          .partitionKey("name", ColumnType.TEXT)
          .column("city", ColumnType.TEXT);
  private static final CounterKey DONE = Key.counter("app", "done");

  @TempDir Path directory;

  private final List<Store> open = new java.util.ArrayList<>();

  @AfterEach
  void close() {
    open.forEach(Store::close);
  }

  private static CausalToken change(Store store, Consumer<TableMap> change) {
    change.accept(TableMap.over(store));
    return store.update(DONE.increment());
  }

  /**
   * Changes tables in Lisbon and in Porto before either hears of the other.
   *
   * @return the tables in Lisbon and in Porto when both have received everything
   */
  private List<TableMap> atOnce(
      Consumer<TableMap> before, Consumer<TableMap> lisbon, Consumer<TableMap> porto) {
    DataCentreStores stores = new DataCentreStores(directory);
    CausalToken ofLisbon;
    try (Store here = stores.first("lisbon")) {
      CausalToken begun = change(here, before);
      try (Store there = stores.joined("porto", here)) {
        assertThat(DataCentreStores.readAfter(there, begun, DONE)).isEqualTo(1);
      }
      ofLisbon = change(here, lisbon);
    }
    CausalToken ofPorto;
    try (Store there = stores.first("porto")) {
      ofPorto = change(there, porto);
    }
    open.add(stores.first("lisbon"));
    open.add(0, stores.joined("porto", open.get(0)));
    for (Store store : open) {
      assertThat(DataCentreStores.readAfter(store, ofLisbon, DONE)).isGreaterThan(1);
      assertThat(DataCentreStores.readAfter(store, ofPorto, DONE)).isEqualTo(3);
    }
    List<TableMap> both = List.of(TableMap.over(open.get(1)), TableMap.over(open.get(0)));
    // Each opening may have renamed a table: the other one must learn of it.
    for (Store store : open) {
      CausalToken opened = store.update(DONE.increment());
      for (Store other : open) {
        assertThat(DataCentreStores.readAfter(other, opened, DONE)).isGreaterThan(3);
      }
    }
    return both;
  }

  private static void create(TableMap map, Table table) {
    if (!map.namespaces().contains("app")) {
      map.createNamespace("app");
    }
    map.createTable(table);
  }

  private static void put(TableMap map, Table table, String name) {
    Put put = Put.of(table.key(name));
    assertThat(map.mutate(table.equals(USERS) ? put.value("age", 30) : put.value("city", "x")))
        .isTrue();
  }

  private static Consumer<TableMap> creating(Table table, String name) {
    return map -> {
      create(map, table);
      put(map, table, name);
    };
  }

  private static List<Object> names(TableReader map, TableScan scan) {
    return map.scan(scan).toList().stream()
        .<Object>map(found -> found.get("name").orElseThrow())
        .sorted()
        .toList();
  }

  private static List<Object> names(TableReader map, String table) {
    return names(map, TableScan.all(new TableName("app", table)));
  }

  @Test
  void aTableThatBothCreateAlikeHasTheRecordsOfBoth() {
    List<TableMap> both = atOnce(map -> {}, creating(USERS, "ana"), creating(USERS, "rui"));

    for (TableMap map : both) {
      assertThat(map.tables("app")).containsExactly("users");
      assertThat(map.table(USERS.name())).contains(USERS);
      assertThat(names(map, "users")).containsExactly("ana", "rui");
      assertThat(names(map, TableScan.byIndex(USERS.name(), "age", 30)))
          .containsExactly("ana", "rui");
    }
  }

  @Test
  void ofTwoDifferentOnesTheLastKeepsTheNameAndTheOtherItsRecords() {
    List<TableMap> both = atOnce(map -> {}, creating(USERS, "ana"), creating(OTHER_USERS, "rui"));

    for (TableMap map : both) {
      List<String> tables = map.tables("app");
      assertThat(tables).isEqualTo(both.get(0).tables("app")).hasSize(2);
      assertThat(tables.get(1)).matches("users@[0-9a-f]{8}");
      assertThat(map.table(USERS.name())).contains(OTHER_USERS);
      assertThat(names(map, "users")).containsExactly("rui");
      TableName displaced = new TableName("app", tables.get(1));
      assertThat(map.table(displaced).orElseThrow().columns()).isEqualTo(USERS.columns());
      assertThat(names(map, TableScan.byIndex(displaced, "age", 30))).containsExactly("ana");
    }
    // It can be renamed and dropped, and the other one keeps its records.
    TableMap lisbon = both.get(0);
    lisbon.renameTable(new TableName("app", lisbon.tables("app").get(1)), "people");
    assertThat(TableMap.over(open.get(1)).tables("app")).containsExactly("people", "users");
    assertThat(names(lisbon, "people")).containsExactly("ana");
    lisbon.dropTable(new TableName("app", "people"));
    assertThat(names(TableMap.over(open.get(1)), "users")).containsExactly("rui");
  }

  @Test
  void anExistingTableThatBothRecreateExistsTwice() {
    List<TableMap> both =
        atOnce(
            map -> {
              create(map, USERS);
              put(map, USERS, "old");
              map.dropTable(USERS.name());
            },
            creating(USERS, "ana"),
            creating(USERS, "rui"));

    for (TableMap map : both) {
      assertThat(map.tables("app")).hasSize(2);
      assertThat(names(map, "users")).containsExactly("rui");
      assertThat(names(map, map.tables("app").get(1))).containsExactly("ana");
    }
  }

  @Test
  void aTableThatBothTruncateHasTheLaterRecordsOfBoth() {
    List<TableMap> both =
        atOnce(
            creating(USERS, "old"),
            map -> {
              map.truncateTable(USERS.name());
              put(map, USERS, "ana");
            },
            map -> {
              map.truncateTable(USERS.name());
              put(map, USERS, "rui");
            });

    for (TableMap map : both) {
      assertThat(map.tables("app")).containsExactly("users");
      assertThat(names(map, "users")).containsExactly("ana", "rui");
    }
  }

  @Test
  void aTableCreatedAndDroppedExistsIfTheOtherCreatesIt() {
    List<TableMap> both =
        atOnce(
            map -> {},
            map -> {
              create(map, USERS);
              put(map, USERS, "ana");
              map.dropTable(USERS.name());
            },
            creating(USERS, "rui"));

    for (TableMap map : both) {
      assertThat(map.tables("app")).containsExactly("users");
      assertThat(names(map, "users")).containsExactly("rui");
    }
  }

  @Test
  void aTableRenamedByBothHasOneOfTheNamesAndCanBeDropped() {
    List<TableMap> both =
        atOnce(
            creating(USERS, "ana"),
            map -> map.renameTable(USERS.name(), "people"),
            map -> map.renameTable(USERS.name(), "members"));

    for (TableMap map : both) {
      assertThat(map.tables("app")).containsExactly("members");
      assertThat(names(map, "members")).containsExactly("ana");
      assertThat(map.hasTable(new TableName("app", "people"))).isFalse();
    }
    both.get(0).dropTable(new TableName("app", "members"));
    assertThat(both.get(0).tables("app")).isEmpty();
  }

  @Test
  void aTableRenamedAndConcurrentlyDroppedIsGone() {
    List<TableMap> both =
        atOnce(
            creating(USERS, "ana"),
            map -> map.renameTable(USERS.name(), "people"),
            map -> map.dropTable(USERS.name()));

    for (TableMap map : both) {
      assertThat(map.tables("app")).isEmpty();
    }
    create(both.get(0), USERS);
    assertThat(names(both.get(0), "users")).isEmpty();
  }

  @Test
  void aTableThatLostItsNameKeepsTheSubstituteUntilRenamed() {
    List<TableMap> both = atOnce(map -> {}, creating(USERS, "ana"), creating(OTHER_USERS, "rui"));
    TableName displaced = new TableName("app", both.get(0).tables("app").get(1));
    both.get(0).dropTable(USERS.name());
    for (TableMap map : both) {
      // It keeps its name when the other table was dropped.
      assertThat(TableMap.over(open.get(1)).tables("app")).containsExactly(displaced.table());
      assertThat(names(map, displaced.table())).containsExactly("ana");
    }
    both.get(0).renameTable(displaced, "users");
    assertThat(names(both.get(0), "users")).containsExactly("ana");
  }
}
