package io.github.stablecut.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.RecordKey;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableCursor;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableReader;
import io.github.stablecut.map.TableRecord;
import io.github.stablecut.map.TableScan;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Filters return the matching records, and read no more than necessary. */
final class SqlFiltersTest {
  private static final Table TABLE =
      Table.named("n", "t")
          .partitionKey("p", ColumnType.TEXT)
          .clusteringKey("c", ColumnType.INT)
          .clusteringKey("d", ColumnType.BIGINT)
          .column("v", ColumnType.INT)
          .index("v");

  private static final Map<String, Predicate<TableRecord>> FILTERS = new LinkedHashMap<>();

  static {
    FILTERS.put("p = 'a'", row -> row.get("p").orElseThrow().equals("a"));
    FILTERS.put("'b' = p", row -> row.get("p").orElseThrow().equals("b"));
    FILTERS.put("p > 'a'", row -> ((String) row.get("p").orElseThrow()).compareTo("a") > 0);
    FILTERS.put("c = 1", row -> number(row, "c") == 1);
    FILTERS.put("c > 1", row -> number(row, "c") > 1);
    FILTERS.put("3 >= c", row -> number(row, "c") <= 3);
    FILTERS.put("c BETWEEN 1 AND 2", row -> number(row, "c") >= 1 && number(row, "c") <= 2);
    FILTERS.put("c IN (0, 3)", row -> number(row, "c") == 0 || number(row, "c") == 3);
    FILTERS.put("NOT (c = 2)", row -> number(row, "c") != 2);
    FILTERS.put("c = 1.5", row -> false);
    FILTERS.put("c < 1.5", row -> number(row, "c") < 1.5);
    FILTERS.put("c < 99999999999", row -> true);
    FILTERS.put("d = 2", row -> number(row, "d") == 2);
    FILTERS.put("d >= 2", row -> number(row, "d") >= 2);
    FILTERS.put("v = 2", row -> row.get("v").equals(Optional.of(2)));
    FILTERS.put("v IS NULL", row -> row.get("v").isEmpty());
    FILTERS.put("v <> 2", row -> row.get("v").isPresent() && number(row, "v") != 2);
    FILTERS.put(
        "(c = 1 OR p = 'a')",
        row -> number(row, "c") == 1 || row.get("p").orElseThrow().equals("a"));
  }

  @TempDir private Path directory;

  @SuppressWarnings("NullAway.Init") // by fill
  private Store store;

  private final List<TableScan> scans = new ArrayList<>();

  private static long number(TableRecord row, String column) {
    return ((Number) row.get(column).orElseThrow()).longValue();
  }

  @BeforeEach
  void fill() {
    store = Stablecut.open(directory.resolve("data"));
    TableMap map = TableMap.over(store);
    map.createNamespace("n");
    map.createTable(TABLE);
    for (String p : List.of("a", "b", "c")) {
      for (int c = 0; c < 4; c++) {
        for (long d = 0; d < 4; d++) {
          Put put = Put.of(TABLE.key(p, c, d));
          map.mutate((c + d) % 4 == 0 ? put : put.value("v", (int) ((c + d) % 4)));
        }
      }
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Records scans. */
  private record RecordingReader(TableReader tables, List<TableScan> scans) implements TableReader {
    @Override
    public Optional<TableRecord> get(RecordKey key, String... columns) {
      return tables.get(key, columns);
    }

    @Override
    public TableCursor scan(TableScan scan) {
      scans.add(scan);
      return tables.scan(scan);
    }

    @Override
    public List<String> namespaces() {
      return tables.namespaces();
    }

    @Override
    public List<String> tables(String namespace) {
      return tables.tables(namespace);
    }

    @Override
    public Optional<Table> table(TableName name) {
      return tables.table(name);
    }
  }

  private Connection connect() throws SQLException {
    var snapshot = store.snapshot();
    return StablecutSql.connect(
        new StoreSchema(snapshot, new RecordingReader(TableMap.at(snapshot), scans)));
  }

  private static List<String> found(Connection connection, String filter) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (ResultSet found =
        connection.createStatement().executeQuery("SELECT p, c, d FROM n.t WHERE " + filter)) {
      while (found.next()) {
        rows.add(found.getString(1) + found.getInt(2) + found.getLong(3));
      }
    }
    return rows;
  }

  @Test
  void filtersReturnTheMatchingRecords() throws SQLException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<String> all = new ArrayList<>(FILTERS.keySet());
    List<TableRecord> records = TableMap.over(store).scan(TableScan.all(TABLE.name())).toList();
    try (Connection connection = connect()) {
      for (int i = 0; i < 40; i++) {
        List<String> chosen = new ArrayList<>(List.of(all.get(i % all.size())));
        for (int more = random.nextInt(3); more > 0; more--) {
          chosen.add(all.get(random.nextInt(all.size())));
        }
        List<String> expected =
            records.stream()
                .filter(
                    row ->
                        chosen.stream()
                            .allMatch(
                                filter -> Objects.requireNonNull(FILTERS.get(filter)).test(row)))
                .map(row -> "" + row.get("p").orElseThrow() + number(row, "c") + number(row, "d"))
                .toList();
        assertThat(found(connection, String.join(" AND ", chosen)))
            .as("seed %d: %s", seed, chosen)
            .containsExactlyInAnyOrderElementsOf(expected);
      }
    }
  }

  @Test
  void aQueryReadsOnlyThePartitionRangeOrIndexThatItNames() throws SQLException {
    try (Connection connection = connect()) {
      assertThat(found(connection, "p = 'a' AND c = 1 AND d >= 2")).hasSize(2);
      assertThat(last())
          .isEqualTo(TableScan.of(TABLE.name(), "a").clustering(1).from(2L).columns("p", "c", "d"));
      assertThat(found(connection, "p = 'a' AND c BETWEEN 1 AND 2")).hasSize(8);
      assertThat(last())
          .isEqualTo(TableScan.of(TABLE.name(), "a").from(1).through(2).columns("p", "c", "d"));
      assertThat(found(connection, "v = 2")).hasSize(12);
      assertThat(last().index()).contains(new TableScan.IndexValue("v", 2));
      assertThat(found(connection, "c = 1")).hasSize(12);
      assertThat(last().partition()).isEmpty();
    }
  }

  private TableScan last() {
    return scans.get(scans.size() - 1);
  }
}
