package io.github.stablecut.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random calls on a store that is occasionally reopened equal those on a sorted map under one lock.
 */
class TableOracleTest {
  private static final Table TABLE =
      Table.named("n", "t")
          .partitionKey("p", ColumnType.TEXT)
          .clusteringKey("c", ColumnType.INT)
          .clusteringKey("d", ColumnType.TEXT, SortOrder.DESCENDING)
          .column("v", ColumnType.INT)
          .column("w", ColumnType.TEXT)
          .index("v");

  private static final List<String> TEXTS = List.of("", "a", "{", "a}", "z", "\0");

  private static final List<Comparison.Operator> OPERATORS = List.of(Comparison.Operator.values());

  @TempDir Path directory;

  private final Random random = new Random();

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void randomCallsGiveTheSameResults(int partitions) {
    String uri = "stablecut:" + directory.resolve("data") + "?partitions=" + partitions;
    long seed = System.nanoTime();
    random.setSeed(seed);
    TableMap oracle = TableMap.over(new MemoryRecords());
    TableMap map = TableMap.open(uri);
    try {
      for (TableMap one : List.of(oracle, map)) {
        one.createNamespace("n");
        one.createTable(TABLE);
      }
      for (int i = 0; i < 400; i++) {
        if (random.nextInt(100) == 0) {
          map.close();
          map = TableMap.open(uri);
        }
        List<Mutation> mutations = mutations();
        assertThat(map.mutate(mutations))
            .as("seed %d, step %d", seed, i)
            .isEqualTo(oracle.mutate(mutations));
        TableScan scan = scan();
        List<TableRecord> found = map.scan(scan).toList();
        List<TableRecord> expected = oracle.scan(scan).toList();
        if (scan.partition().isPresent() || scan.index().isPresent()) {
          assertThat(found).as("seed %d, step %d: %s", seed, i, scan).isEqualTo(expected);
        } else {
          assertThat(found)
              .as("seed %d, step %d: %s", seed, i, scan)
              .containsExactlyInAnyOrderElementsOf(expected);
        }
      }
    } finally {
      map.close();
    }
  }

  private String text() {
    return TEXTS.get(random.nextInt(TEXTS.size()));
  }

  private List<Mutation> mutations() {
    List<Mutation> mutations = new ArrayList<>();
    for (int count = 1 + random.nextInt(3); count > 0; count--) {
      RecordKey key = TABLE.key(text(), random.nextInt(3), text());
      if (random.nextInt(4) == 0) {
        Delete delete = Delete.of(key);
        mutations.add(random.nextInt(3) == 0 ? delete.onlyIf(comparison()) : delete);
      } else {
        Put put =
            random.nextBoolean()
                ? Put.of(key).value("v", random.nextInt(3))
                : Put.of(key).withoutValue("v").value("w", text());
        mutations.add(
            switch (random.nextInt(6)) {
              case 0 -> put.ifExists();
              case 1 -> put.ifNotExists();
              case 2 -> put.onlyIf(comparison());
              default -> put;
            });
      }
    }
    return mutations;
  }

  private Comparison comparison() {
    Comparison.Operator operator = OPERATORS.get(random.nextInt(OPERATORS.size()));
    boolean isUnary =
        operator == Comparison.Operator.IS_NULL || operator == Comparison.Operator.IS_NOT_NULL;
    return new Comparison(
        "v", operator, isUnary ? Optional.empty() : Optional.of(random.nextInt(3)));
  }

  private TableScan scan() {
    int kind = random.nextInt(8);
    if (kind == 0) {
      return TableScan.all(TABLE.name()).where(comparison());
    }
    if (kind == 1) {
      return TableScan.byIndex(TABLE.name(), "v", random.nextInt(3));
    }
    TableScan scan = TableScan.of(TABLE.name(), text());
    boolean isDeep = random.nextBoolean();
    scan = isDeep ? scan.clustering(random.nextInt(3)) : scan;
    Object low = isDeep ? text() : random.nextInt(3);
    Object high = isDeep ? text() : random.nextInt(3);
    scan = random.nextBoolean() ? scan : random.nextBoolean() ? scan.from(low) : scan.above(low);
    scan =
        random.nextBoolean() ? scan : random.nextBoolean() ? scan.through(high) : scan.until(high);
    scan = random.nextBoolean() ? scan.reversed() : scan;
    return random.nextBoolean() ? scan.limit(1 + random.nextInt(3)) : scan;
  }
}
