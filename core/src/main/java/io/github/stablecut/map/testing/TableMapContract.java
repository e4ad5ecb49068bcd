package io.github.stablecut.map.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.ValueRefusedException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Comparison;
import io.github.stablecut.map.Delete;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.RecordKey;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.SortOrder;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableCursor;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableRecord;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.map.TableSnapshot;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Tests what users observe of tables, on any storage. */
public abstract class TableMapContract extends TableAdministrationContract {
  @Test
  void aPutChangesTheColumnsThatItNamesAndADeleteRemovesAll() {
    assertThat(map.get(account("eve"))).isEmpty();
    map.mutate(Put.of(account("eve")).value("balance", 3L).value("note", "new"));
    map.mutate(Put.of(account("eve")).value("balance", 4L));

    TableRecord record = map.get(account("eve")).orElseThrow();
    assertThat(record.columns()).containsExactly("owner", "balance", "note");
    assertThat(record.get("owner")).contains("eve");
    assertThat(record.get("balance")).contains(4L);
    assertThat(record.get("note")).contains("new");

    map.mutate(Put.of(account("eve")).withoutValue("note"));
    assertThat(map.get(account("eve"), "note").orElseThrow().get("note")).isEmpty();
    map.mutate(Delete.of(account("eve")));
    map.mutate(Delete.of(account("eve")));
    assertThat(map.get(account("eve"))).isEmpty();
    map.mutate(Put.of(account("eve")));
    assertThat(map.get(account("eve")).orElseThrow().get("balance")).isEmpty();
    restart();
    assertThat(map.get(account("eve"))).isPresent();
    assertThat(map.get(account("bob"))).isEmpty();
  }

  @Test
  void conditionsDecideWhetherAMutationIsMade() {
    assertThat(map.mutate(Put.of(account("eve")).value("balance", 1L).ifExists())).isFalse();
    assertThat(map.mutate(Delete.of(account("eve")).ifExists())).isFalse();
    assertThat(map.mutate(Put.of(account("eve")).onlyIf(Comparison.isNull("note")))).isFalse();
    assertThat(map.get(account("eve"))).isEmpty();
    assertThat(map.mutate(Put.of(account("eve")).value("balance", 1L).ifNotExists())).isTrue();
    assertThat(map.mutate(Put.of(account("eve")).value("balance", 2L).ifNotExists())).isFalse();
    assertThat(map.mutate(Put.of(account("eve")).value("balance", 3L).ifExists())).isTrue();
    restart();
    assertThat(balance("eve")).isEqualTo(3);
    assertThat(map.mutate(Delete.of(account("eve")).onlyIf(Comparison.equal("balance", 4L))))
        .isFalse();
    assertThat(map.mutate(Delete.of(account("eve")).onlyIf(Comparison.equal("balance", 3L))))
        .isTrue();
    assertThat(map.get(account("eve"))).isEmpty();
  }

  @Test
  void comparisonsAreThoseOfValuesAndWithNoneTheyFail() {
    map.mutate(Put.of(account("eve")).value("balance", -3L));

    for (Comparison holds :
        List.of(
            Comparison.equal("balance", -3L),
            Comparison.notEqual("balance", 3L),
            Comparison.less("balance", 0L),
            Comparison.atMost("balance", -3L),
            Comparison.greater("balance", -4L),
            Comparison.atLeast("balance", -3L),
            Comparison.isNotNull("balance"),
            Comparison.isNull("note"),
            Comparison.equal("owner", "eve"))) {
      assertThat(map.mutate(Put.of(account("eve")).onlyIf(holds))).as(holds.toString()).isTrue();
    }
    for (Comparison fails :
        List.of(
            Comparison.equal("balance", 3L),
            Comparison.notEqual("balance", -3L),
            Comparison.less("balance", -3L),
            Comparison.atMost("balance", -4L),
            Comparison.greater("balance", -3L),
            Comparison.atLeast("balance", -2L),
            Comparison.isNull("balance"),
            Comparison.isNotNull("note"),
            Comparison.notEqual("note", "x"),
            Comparison.less("note", "x"))) {
      assertThat(map.mutate(Put.of(account("eve")).onlyIf(fails))).as(fails.toString()).isFalse();
    }
  }

  @Test
  void conditionsAndComparisonsAddUp() {
    map.mutate(Put.of(account("eve")).value("balance", 3L));
    Comparison holds = Comparison.equal("balance", 3L);
    Comparison fails = Comparison.isNotNull("note");

    Put put = Put.of(account("eve")).value("balance", 4L);
    assertThat(map.mutate(put.onlyIf(fails).onlyIf(holds))).isFalse();
    assertThat(map.mutate(put.onlyIf(holds).onlyIf(fails))).isFalse();
    assertThat(map.mutate(put.onlyIf(fails).ifExists())).isFalse();
    assertThat(map.mutate(put.ifExists().onlyIf(fails))).isFalse();
    Delete delete = Delete.of(account("eve"));
    assertThat(map.mutate(delete.onlyIf(fails).onlyIf(holds))).isFalse();
    assertThat(map.mutate(delete.onlyIf(fails).ifExists())).isFalse();
    assertThat(balance("eve")).isEqualTo(3);
    assertThat(map.mutate(put.ifExists().onlyIf(holds).ifExists())).isTrue();
    assertThat(balance("eve")).isEqualTo(4);
    assertThatThrownBy(() -> put.ifNotExists().onlyIf(holds))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("exclude each other");
    assertThatThrownBy(() -> put.ifExists().ifNotExists())
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(put.ifNotExists().ifNotExists()).isEqualTo(put.ifNotExists());

    map.mutate(event("a", 1, 1), event("a", 1, 2));
    assertThat(texts(host("a").where(Comparison.equal("at", 1L)).where(Comparison.equal("at", 2L))))
        .isEmpty();
    for (TableScan bounded : List.of(host("a").from(1).until(3), host("a").above(0).through(3))) {
      for (UnaryOperator<TableScan> again :
          List.<UnaryOperator<TableScan>>of(
              scan -> scan.from(2),
              scan -> scan.above(2),
              scan -> scan.through(2),
              scan -> scan.until(2))) {
        assertThatThrownBy(() -> again.apply(bounded))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContainingAll("already has", ": set it once");
      }
    }
    assertThatThrownBy(() -> host("a").clustering(1).clustering(2))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void severalMutationsAreMadeTogetherOrNotAtAll() {
    map.mutate(Put.of(account("eve")).value("balance", 100L));

    Put less =
        Put.of(account("eve")).value("balance", 60L).onlyIf(Comparison.equal("balance", 100L));
    Put more = Put.of(account("bob")).value("balance", 40L);
    assertThat(map.mutate(less, more.ifExists(), event("a", 1, 1))).isFalse();
    assertThat(balance("eve")).isEqualTo(100);
    assertThat(map.get(EVENTS.key("a", 1, 1L))).isEmpty();
    assertThat(map.mutate(less, more.ifNotExists(), event("a", 1, 1))).isTrue();
    restart();
    assertThat(balance("eve")).isEqualTo(60);
    assertThat(balance("bob")).isEqualTo(40);
    assertThat(map.get(EVENTS.key("a", 1, 1L))).isPresent();
  }

  @Test
  void allConditionsAreAboutTheStateBeforeAndMutationsOfOneRecordAddUp() {
    assertThat(
            map.mutate(
                Put.of(account("eve")).value("balance", 1L).ifNotExists(),
                Put.of(account("eve")).value("note", "x").ifNotExists()))
        .isTrue();
    assertThat(map.get(account("eve")).orElseThrow().get("note")).contains("x");
    map.mutate(Delete.of(account("eve")), Put.of(account("eve")).value("note", "y"));
    assertThat(map.get(account("eve")).orElseThrow().get("balance")).isEmpty();
    assertThat(map.get(account("eve")).orElseThrow().get("note")).contains("y");
    map.mutate(Put.of(account("eve")).value("note", "z"), Delete.of(account("eve")));
    assertThat(map.get(account("eve"))).isEmpty();
  }

  @Test
  void aPartitionIsScannedInTheOrderOfItsClusteringKey() {
    for (long at = 1; at <= 3; at++) {
      map.mutate(event("a", 2, at), event("a", 1, at), event("a{", 1, at), event("", 7, at));
    }

    List<String> all = List.of("a1/3", "a1/2", "a1/1", "a2/3", "a2/2", "a2/1");
    assertThat(texts(host("a"))).isEqualTo(all);
    List<String> backwards = new ArrayList<>(all);
    Collections.reverse(backwards);
    assertThat(texts(host("a").reversed())).isEqualTo(backwards);
    assertThat(texts(host("a").limit(2))).containsExactly("a1/3", "a1/2");
    assertThat(texts(host("a").reversed().limit(2))).containsExactly("a2/1", "a2/2");
    assertThat(texts(host("a").clustering(2))).containsExactly("a2/3", "a2/2", "a2/1");
    assertThat(texts(host("a").clustering(1, 2L))).containsExactly("a1/2");
    assertThat(texts(host("a").from(2))).containsExactly("a2/3", "a2/2", "a2/1");
    assertThat(texts(host("a").above(1).through(2).limit(1))).containsExactly("a2/3");
    assertThat(texts(host("a").until(2))).containsExactly("a1/3", "a1/2", "a1/1");
    assertThat(texts(host("a").clustering(1).from(2L))).containsExactly("a1/3", "a1/2");
    assertThat(texts(host("a").clustering(1).above(2L))).containsExactly("a1/3");
    assertThat(texts(host("a").clustering(1).through(2L).reversed()))
        .containsExactly("a1/1", "a1/2");
    assertThat(texts(host("a").clustering(1).until(2L))).containsExactly("a1/1");
    assertThat(texts(host("a").clustering(1).above(3L))).isEmpty();
    assertThat(texts(host("b"))).isEmpty();
    assertThat(texts(host("a{"))).hasSize(3);
    assertThat(texts(host(""))).hasSize(3);
    restart();
    assertThat(texts(host("a"))).isEqualTo(all);
  }

  @Test
  void aScanFiltersBeforeItsLimitAndReadsTheColumnsThatAreNamed() {
    for (long at = 1; at <= 9; at++) {
      map.mutate(event("a", 1, at), event("b", 1, at));
    }

    assertThat(
            texts(host("a").where(Comparison.equal("size", 0), Comparison.less("at", 9L)).limit(1)))
        .containsExactly("a1/6");
    List<TableRecord> read = map.scan(host("a").limit(1).columns("size", "host")).toList();
    assertThat(read.get(0).columns()).containsExactly("size", "host");
    assertThatThrownBy(() -> read.get(0).get("text")).hasMessageContaining("was not read");
    assertThat(map.scan(TableScan.all(EVENTS.name())).toList()).hasSize(18);
    assertThat(
            map.scan(TableScan.all(EVENTS.name()).where(Comparison.equal("size", 0)).limit(5))
                .toList())
        .hasSize(5);
  }

  @Test
  void aScanIsOfOneMoment() {
    map.mutate(event("a", 1, 1), event("a", 1, 3));

    try (TableCursor scan = map.scan(host("a"))) {
      map.mutate(Delete.of(EVENTS.key("a", 1, 1L)), event("a", 1, 2));
      assertThat(scan.stream().map(record -> record.get("at", Long.class).orElseThrow()))
          .containsExactly(3L, 1L);
    }
    assertThat(texts(host("a"))).containsExactly("a1/3", "a1/2");
  }

  @Test
  void anIndexFindsTheRecordsWithAValue() {
    for (long at = 1; at <= 6; at++) {
      map.mutate(event("a", 1, at), event("{b}", 1, at));
    }

    assertThat(texts(TableScan.byIndex(EVENTS.name(), "size", 1)))
        .containsExactlyInAnyOrder("a1/4", "a1/1", "{b}1/4", "{b}1/1");
    map.mutate(
        Put.of(EVENTS.key("a", 1, 1L)).value("size", 2),
        Put.of(EVENTS.key("a", 1, 4L)).withoutValue("size"),
        Delete.of(EVENTS.key("{b}", 1, 1L)));
    assertThat(texts(TableScan.byIndex(EVENTS.name(), "size", 1))).containsExactly("{b}1/4");
    assertThat(texts(TableScan.byIndex(EVENTS.name(), "size", 2))).contains("a1/1").hasSize(5);
    assertThat(texts(TableScan.byIndex(EVENTS.name(), "size", 9))).isEmpty();
    assertThat(
            texts(
                TableScan.byIndex(EVENTS.name(), "size", 2)
                    .where(Comparison.equal("host", "a"))
                    .limit(2)))
        .hasSize(2);
    assertThatThrownBy(() -> texts(TableScan.byIndex(EVENTS.name(), "text", "x")))
        .isInstanceOf(SchemaException.class);
  }

  @Test
  void aSnapshotReadsAllTablesAsOfOneMoment() {
    map.mutate(Put.of(account("eve")).value("balance", 1L));

    try (TableSnapshot snapshot = map.snapshot()) {
      map.mutate(Put.of(account("eve")).value("balance", 2L), event("a", 1, 1));
      assertThat(snapshot.get(account("eve")).orElseThrow().get("balance")).contains(1L);
      assertThat(snapshot.scan(host("a")).toList()).isEmpty();
    }
  }

  @Test
  void aScanByAnIndexEndsWithItsSnapshotAndAnotherGoesOn() {
    map.mutate(event("a", 1, 1), event("a", 1, 2), event("b", 1, 1));
    TableSnapshot snapshot = map.snapshot();
    TableCursor byIndex = snapshot.scan(TableScan.byIndex(EVENTS.name(), "size", 1));
    TableCursor plain = snapshot.scan(host("a"));

    snapshot.close();

    assertThat(plain.toList()).hasSize(2);
    assertThatThrownBy(byIndex::toList).isInstanceOf(StoreClosedException.class);
    byIndex.close();
    plain.close();
  }

  @Test
  void whatIsClosedReadsNothingMore() {
    map.mutate(event("a", 1, 1), event("a", 2, 1));
    TableSnapshot snapshot = map.snapshot();
    TableCursor cursor = snapshot.scan(host("a"));
    assertThat(cursor.next()).isNotNull();

    cursor.close();
    snapshot.close();

    assertThat(cursor.hasNext()).isFalse();
    assertThatThrownBy(cursor::next).isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(() -> snapshot.get(account("eve"))).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> snapshot.scan(host("a"))).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> snapshot.table(EVENTS.name()))
        .isInstanceOf(StoreClosedException.class);
  }

  @Test
  void valuesOfAllTypesAreKeptAndOrdered() {
    Map<ColumnType, List<Object>> ascending =
        Map.ofEntries(
            Map.entry(ColumnType.BOOLEAN, List.of(false, true)),
            Map.entry(ColumnType.INT, List.of(Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE)),
            Map.entry(ColumnType.BIGINT, List.of(Long.MIN_VALUE, -1L, 0L, 1L, Long.MAX_VALUE)),
            Map.entry(
                ColumnType.FLOAT,
                List.of(Float.NEGATIVE_INFINITY, -1.5f, -0.0f, 0.0f, Float.MIN_VALUE, Float.NaN)),
            Map.entry(
                ColumnType.DOUBLE,
                List.of(-Double.MAX_VALUE, -1.5, -0.0, 0.0, Double.MIN_VALUE, Double.NaN)),
            Map.entry(
                ColumnType.TEXT,
                List.of(
                    "", "\0", "\0a", "a", "a\0", "a\u0001", "ab", "z{|}~", "é", "\ufffd", "😀")),
            Map.entry(
                ColumnType.BLOB,
                List.of(
                    bytes(),
                    bytes(0),
                    bytes(0, 0),
                    bytes(0, 1),
                    bytes(1),
                    bytes(255),
                    bytes(255, 'P'),
                    bytes(255, 255))),
            Map.entry(
                ColumnType.DATE,
                List.of(
                    LocalDate.MIN,
                    LocalDate.of(1969, 12, 31),
                    LocalDate.of(2026, 11, 24),
                    LocalDate.MAX)),
            Map.entry(ColumnType.TIME, List.of(LocalTime.MIN, LocalTime.NOON, LocalTime.MAX)),
            Map.entry(
                ColumnType.TIMESTAMP,
                List.of(
                    LocalDateTime.MIN,
                    LocalDateTime.of(1969, 12, 31, 23, 59, 59, 1),
                    LocalDateTime.MAX)),
            Map.entry(
                ColumnType.TIMESTAMPTZ,
                List.of(Instant.MIN, Instant.ofEpochMilli(-1), Instant.EPOCH, Instant.MAX)));
    assertThat(ascending).hasSize(ColumnType.values().length);
    ascending.forEach(this::checkOrder);
  }

  private static Bytes bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return Bytes.wrap(bytes);
  }

  private void checkOrder(ColumnType type, List<Object> ascending) {
    Table table =
        Table.named("bank", "of " + type)
            .partitionKey("p", type)
            .clusteringKey("up", type)
            .clusteringKey("down", type, SortOrder.DESCENDING)
            .column("value", type)
            .index("value");
    map.createTable(table);
    Object first = ascending.get(0);
    for (Object value : ascending) {
      map.mutate(
          Put.of(table.key(first, value, first)),
          Put.of(table.key(value, first, value)).value("value", value),
          Put.of(table.key(value, value, first)));
    }

    for (int i = 0; i < ascending.size(); i++) {
      Object value = ascending.get(i);
      assertThat(map.get(table.key(value, first, value)).orElseThrow().get("value"))
          .contains(value);
      assertThat(
              map.scan(TableScan.of(table.name(), first).above(value)).stream()
                  .map(record -> record.get("up").orElseThrow()))
          .isEqualTo(ascending.subList(i + 1, ascending.size()));
      assertThat(map.scan(TableScan.byIndex(table.name(), "value", value)).toList()).hasSize(1);
      assertThat(map.scan(TableScan.of(table.name(), value)).toList()).isNotEmpty();
    }
    for (Object value : ascending) {
      map.mutate(Put.of(table.key(first, first, value)));
    }
    List<Object> descending = new ArrayList<>(ascending);
    Collections.reverse(descending);
    assertThat(
            map.scan(TableScan.of(table.name(), first).clustering(first)).stream()
                .map(record -> record.get("down").orElseThrow()))
        .isEqualTo(descending);
    assertThat(
            map.scan(TableScan.of(table.name(), first).clustering(first).through(first)).stream()
                .map(record -> record.get("down").orElseThrow()))
        .containsExactly(first);
    map.dropTable(table.name());
  }

  @Test
  void ofConcurrentConditionalPutsEachSuccessCountsOnce() {
    map.mutate(Put.of(account("eve")).value("balance", 0L));
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<CompletableFuture<Integer>> runs = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        runs.add(CompletableFuture.supplyAsync(this::increments, threads));
      }
      int made = runs.stream().mapToInt(CompletableFuture::join).sum();
      assertThat(made).isPositive();
      assertThat(balance("eve")).isEqualTo(made);
    } finally {
      threads.shutdown();
    }
  }

  private int increments() {
    int made = 0;
    for (int i = 0; i < 50; i++) {
      long seen = balance("eve");
      made +=
          map.mutate(
                  Put.of(account("eve"))
                      .value("balance", seen + 1)
                      .onlyIf(Comparison.equal("balance", seen)))
              ? 1
              : 0;
    }
    return made;
  }

  @Test
  void badCallsAreRefusedAndChangeNothing() {
    map.mutate(Put.of(account("eve")).value("balance", 1L));

    assertThatThrownBy(() -> map.mutate(Put.of(account("eve")).value("balance", "2")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("column balance")
        .hasMessageContaining("a Long, not a String");
    assertThatThrownBy(() -> map.mutate(event("a", 1, 1).value("text", "half \ud800")))
        .isInstanceOf(ValueRefusedException.class)
        .hasMessageContaining("column text: ");
    assertThatThrownBy(() -> map.mutate(Put.of(account("eve")).value("x", 2)))
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("has no column x");
    assertThatThrownBy(() -> map.mutate(Put.of(account("eve")).value("owner", "bob")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("belongs to the key");
    assertThatThrownBy(() -> map.mutate(Put.of(account("eve")).onlyIf(Comparison.equal("x", 1))))
        .isInstanceOf(SchemaException.class);
    assertThatThrownBy(() -> map.get(account("eve"), "x")).isInstanceOf(SchemaException.class);
    assertThatThrownBy(() -> map.get(new RecordKey(ACCOUNTS.name(), List.of(), List.of())))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> map.get(new RecordKey(ACCOUNTS.name(), List.of(3), List.of())))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> map.get(EVENTS.key("a", 1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> map.mutate(List.of())).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> map.scan(host("a").clustering(1, 2L).from(3)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> map.scan(TableScan.all(EVENTS.name()).reversed()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> map.createTable(Table.named("bank", "x").column("c", ColumnType.INT)))
        .hasMessageContaining("no partition key");
    assertThatThrownBy(
            () -> map.createTable(Table.named("x", "x").partitionKey("c", ColumnType.INT)))
        .isInstanceOf(SchemaException.class);
    assertThatThrownBy(() -> map.scan(TableScan.all(new TableName("bank", "x"))))
        .isInstanceOf(SchemaException.class);
    assertThat(balance("eve")).isEqualTo(1);
    assertThat(map.table(ACCOUNTS.name())).isEqualTo(Optional.of(ACCOUNTS));
  }
}
