package io.github.stablecut.map.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.RecordDataCentre;
import io.github.stablecut.map.RecordDataCentre.Message;
import io.github.stablecut.map.RecordKey;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableReader;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.map.TablesOfSeveralModel;
import io.github.stablecut.map.TablesOfSeveralModel.Call;
import io.github.stablecut.map.TablesOfSeveralModel.ExpectedTable;
import io.github.stablecut.map.TablesOfSeveralModel.Kind;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Data centres create, rename, drop, truncate and alter tables concurrently, and put records, and
 * hear of each other at random, in the middle of calls as well. A model checks the results.
 */
final class TablesOfSeveralTest {
  private static final int ROUNDS = 200;
  private static final int CALLS = 40;
  private static final List<String> NAMES = List.of("a", "b", "c", "d");

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void eachTableHasOneNameAndItsRecordsEverywhere(int count) {
    long seed = System.nanoTime();
    for (int round = 0; round < ROUNDS; round++) {
      new Run(count, seed + round).run();
    }
  }

  private static final class Run {
    private final long seed;
    private final Random random;
    private final List<RecordDataCentre> centres;
    private final List<TableMap> maps = new ArrayList<>();
    private final TablesOfSeveralModel model = new TablesOfSeveralModel();
    private final Map<Bytes, String> places = new HashMap<>();
    private int last;

    Run(int count, long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.centres = RecordDataCentre.create(count, random);
      centres.forEach(centre -> maps.add(TableMap.over(centre)));
    }

    void run() {
      maps.get(0).createNamespace("n");
      centres.forEach(RecordDataCentre::hearAll);
      for (int i = 0; i < CALLS; i++) {
        int at = random.nextInt(centres.size());
        if (random.nextInt(20) == 0) {
          maps.set(at, TableMap.over(centres.get(at)));
        }
        if (random.nextInt(12) == 0) {
          centres.get(at).hearAll();
        }
        try {
          call(centres.get(at), maps.get(at));
        } catch (SchemaException e) {
          // Another data centre won.
        }
        check(centres.get(at));
      }
      centres.forEach(RecordDataCentre::hearAll);
      List<Map<String, List<String>>> seen = new ArrayList<>();
      centres.forEach(centre -> seen.add(check(centre)));
      assertThat(new HashSet<>(seen)).as("seed %d", seed).hasSize(1);
      // Opening tables changes nothing, apart from removing the remains of drops.
      for (RecordDataCentre centre : centres) {
        TableMap.over(centre);
        centres.forEach(RecordDataCentre::hearAll);
        assertThat(check(centre).keySet()).as("seed %d", seed).isEqualTo(seen.get(0).keySet());
      }
    }

    private void call(RecordDataCentre centre, TableMap map) {
      TableReader now = StoredTables.reader(centre.now());
      List<String> tables = now.tables("n");
      TableName name = new TableName("n", NAMES.get(random.nextInt(NAMES.size())));
      int kind = random.nextInt(10);
      if (tables.isEmpty() || kind < 2) {
        String column = random.nextBoolean() ? "same" : "y" + last++;
        execute(
            centre,
            name,
            Kind.CREATE,
            name.table(),
            () ->
                map.createTable(
                    Table.named(name)
                        .partitionKey("k", ColumnType.TEXT)
                        .column(column, ColumnType.INT)));
        return;
      }
      TableName table = new TableName("n", tables.get(random.nextInt(tables.size())));
      String what = "x" + last++;
      switch (kind) {
        case 2, 3 ->
            execute(
                centre,
                table,
                Kind.RENAME,
                name.table(),
                () -> map.renameTable(table, name.table()));
        case 4 -> execute(centre, table, Kind.DROP, "", () -> map.dropTable(table));
        case 5 -> execute(centre, table, Kind.TRUNCATE, "", () -> map.truncateTable(table));
        case 6 ->
            execute(
                centre,
                table,
                Kind.ALTER,
                "",
                () -> map.addColumn(table, new Column(what, ColumnType.INT)));
        default -> {
          Put put = Put.of(new RecordKey(table, List.of(what), List.of()));
          execute(centre, table, Kind.PUT, what, () -> assertThat(map.mutate(put)).isTrue());
        }
      }
    }

    private void execute(
        RecordDataCentre centre, TableName name, Kind kind, String what, Runnable call) {
      String before = id(centre, name);
      List<Integer> heard = centre.heard();
      int sent = centre.sent().size();
      call.run();
      Message message = decisive(centre, sent, kind);
      RecordChange change = decisive(message, kind).orElseThrow();
      String table = table(change, kind);
      boolean isPrompt = message.knowsNoMoreThan(heard);
      if (kind != Kind.CREATE && isPrompt) {
        assertThat(table).as("seed %d", seed).isEqualTo(before);
      }
      model.add(new Call(kind, table, what, columns(change), isPrompt, message));
    }

    /** The last write of a call that changed a table's record, or that put one. */
    private static Message decisive(RecordDataCentre centre, int sent, Kind kind) {
      List<Message> messages = centre.sent().subList(sent, centre.sent().size());
      return messages.stream()
          .filter(message -> decisive(message, kind).isPresent())
          .reduce((one, next) -> next)
          .orElseThrow();
    }

    private static Optional<RecordChange> decisive(Message message, Kind kind) {
      return message.changes().stream()
          .filter(
              change ->
                  kind == Kind.PUT
                      ? !change.id().space().equals(Catalogue.SPACE)
                      : isOfTable(change.id()))
          .findFirst();
    }

    private static boolean isOfTable(RecordId id) {
      return id.space().equals(Catalogue.SPACE)
          && id.rest().startsWith(Catalogue.tables())
          && Catalogue.tableOf(id).isPresent();
    }

    private String table(RecordChange change, Kind kind) {
      return kind == Kind.PUT
          ? Objects.requireNonNull(places.get(change.id().space()))
          : Catalogue.tableOf(change.id()).orElseThrow().id();
    }

    private List<String> columns(RecordChange change) {
      if (!(change instanceof RecordChange.Write write) || !isOfTable(change.id())) {
        return List.of();
      }
      TableEntry table =
          new TableEntry(
              Catalogue.tableOf(change.id()).orElseThrow(), Cells.NONE.with(write.cells()));
      places.put(table.place(), table.id().id());
      return table
          .cells()
          .get(Catalogue.SCHEMA)
          .map(
              bytes ->
                  columns(
                      SchemaCodec.decode(new TableName("n", "n"), table.id(), Bytes.EMPTY, bytes)
                          .table()))
          .orElse(List.of());
    }

    private static List<String> columns(Table table) {
      return table.columns().stream().map(Column::name).toList();
    }

    private static String id(RecordDataCentre centre, TableName name) {
      return TableNames.of(centre.now(), "n").find(name).map(table -> table.id().id()).orElse("");
    }

    /** Compares the tables of a data centre with the model; returns the records by table. */
    @CanIgnoreReturnValue
    private Map<String, List<String>> check(RecordDataCentre centre) {
      TableReader reader = StoredTables.reader(centre.now());
      Map<String, ExpectedTable> left = model.tables(centre.heard());
      Map<String, List<String>> found = new TreeMap<>();
      for (String name : reader.tables("n")) {
        TableName table = new TableName("n", name);
        String id = id(centre, table);
        String as = "seed %d, table %s, %s".formatted(seed, name, id);
        ExpectedTable expected = left.remove(id);
        assertThat(expected).as(as).isNotNull();
        if (!name.equals(expected.name())) {
          assertThat(name).as(as).startsWith(expected.name() + "@");
          assertThat(model.wasShared(expected.name(), id)).as(as).isTrue();
        }
        assertThat(columns(reader.table(table).orElseThrow())).as(as).isEqualTo(expected.columns());
        List<String> records =
            reader.scan(TableScan.all(table)).toList().stream()
                .map(record -> (String) record.key().partition().get(0))
                .sorted()
                .toList();
        assertThat(records).as(as).containsAll(expected.records());
        Set<String> possible = new HashSet<>(expected.records());
        possible.addAll(expected.leftOver());
        assertThat(possible).as(as).containsAll(records);
        found.put(name, records);
      }
      assertThat(left).as("seed %d: tables that are not there", seed).isEmpty();
      return found;
    }
  }
}
