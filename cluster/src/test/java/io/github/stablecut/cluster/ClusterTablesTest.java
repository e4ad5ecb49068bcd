package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Delete;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.RecordKey;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.map.testing.TableMapContract;
import io.github.stablecut.map.testing.TablesInTurn;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tables in a store on two nodes, and through an observer. Each node's clock is ten seconds behind
 * that of the previous one, so a node that did not ask the others would miss acknowledged writes.
 */
final class ClusterTablesTest {
  private static final int PARTITIONS = 4;

  @TempDir private static Path directory;
  private static final List<ClusterNode> NODES = new ArrayList<>();
  private static final List<Store> STORES = new ArrayList<>();
  private static List<Integer> ports = List.of();
  private static List<String> seeds = List.of();

  @BeforeAll
  static void form() throws IOException {
    ports = Ports.free(3);
    seeds = ports.subList(0, 2).stream().map(port -> "127.0.0.1:" + port).toList();
    for (int i = 0; i < 2; i++) {
      NODES.add(join(i));
    }
    NODES.forEach(node -> STORES.add(node.store()));
    ClusterNode visitor = ClusterNode.observe(options(2, 0), settings("v", ports.get(2), seeds));
    NODES.add(visitor);
    STORES.add(visitor.store());
  }

  private static void restart(int node) {
    NODES.get(node).close();
    ClusterNode again = join(node);
    NODES.set(node, again);
    STORES.set(node, again.store());
    assertThatCode(
            () ->
                Eventually.holds(
                    "all nodes reach each other",
                    () -> STORES.stream().allMatch(ClusterTablesTest::reachesAll)))
        .doesNotThrowAnyException();
  }

  private static boolean reachesAll(Store store) {
    try {
      return store.latest().token().time().isBefore(Instant.MAX);
    } catch (RetryException e) {
      return false;
    }
  }

  private static ClusterNode join(int node) {
    return ClusterNode.join(
        directory.resolve("n" + node),
        options(node, PARTITIONS),
        settings("n" + node, ports.get(node), seeds));
  }

  private static ClusterSettings settings(String name, int port, List<String> seeds) {
    return new ClusterSettings(name, Endpoint.loopback(port), seeds, 2, 0, Long.MAX_VALUE);
  }

  private static StoreOptions options(int node, int partitions) {
    return StoreOptions.defaults()
        .withClock(Clock.offset(Clock.systemUTC(), Duration.ofSeconds(-10L * node)))
        .withPartitions(partitions);
  }

  @AfterAll
  static void leave() {
    NODES.forEach(ClusterNode::close);
  }

  /** Resets the store for the next test. */
  private static void drop() {
    TableMap map = TableMap.over(STORES.get(0));
    for (String namespace : map.namespaces()) {
      map.tables(namespace).forEach(table -> map.dropTable(new TableName(namespace, table)));
      map.dropNamespace(namespace);
    }
  }

  @Nested
  @Tag("long")
  class ThroughAnObserver extends TableMapContract {
    @Override
    protected TableMap open(Path data) {
      return TableMap.over(STORES.get(2));
    }

    @AfterEach
    void dropAll() {
      drop();
    }
  }

  /** A node leaves and rejoins whenever the contract reopens the tables. */
  @Nested
  class EachCallThroughAnotherNode extends TableMapContract {
    private boolean isOpened;

    @Override
    protected TableMap open(Path data) {
      if (isOpened) {
        restart(1);
      }
      isOpened = true;
      return TablesInTurn.over(STORES);
    }

    @AfterEach
    void dropAll() {
      drop();
    }
  }

  @Test
  void deletesManyRecordsOfSeveralPartitionsAtOnce() {
    Table table = Table.named("n", "records").partitionKey("p", ColumnType.INT);
    TableMap map = TablesInTurn.over(STORES);
    map.createNamespace("n");
    map.createTable(table);
    List<RecordKey> keys = IntStream.range(0, 40).mapToObj(table::key).toList();

    assertThat(map.mutate(keys.stream().map(key -> Put.of(key).ifNotExists()).toList())).isTrue();
    assertThat(map.mutate(keys.stream().map(key -> Delete.of(key).ifExists()).toList())).isTrue();
    assertThat(map.scan(TableScan.all(table.name())).toList()).isEmpty();
    drop();
  }

  @Test
  void otherNodesReadAcknowledgedWritesAtOnce() {
    Table table =
        Table.named("n", "records")
            .partitionKey("p", ColumnType.INT)
            .column("v", ColumnType.INT)
            .column("all", ColumnType.INT)
            .index("v");
    TableMap map = TablesInTurn.over(STORES);
    map.createNamespace("n");
    map.createTable(table);

    for (int v = 1; v <= 60; v++) {
      int p = v % 8;
      map.mutate(Put.of(table.key(p)).value("v", v), Put.of(table.key(8)).value("all", v));
      assertThat(map.get(table.key(p)).orElseThrow().get("v")).contains(v);
      assertThat(map.get(table.key(8)).orElseThrow().get("all")).contains(v);
      map.mutate(Put.of(table.key(8)).value("v", -v));
      assertThat(map.scan(TableScan.of(table.name(), 8)).toList())
          .extracting(record -> record.get("v").orElseThrow())
          .containsExactly(-v);
      assertThat(map.scan(TableScan.byIndex(table.name(), "v", -v)).toList()).hasSize(1);
      assertThat(map.scan(TableScan.byIndex(table.name(), "v", v)).toList()).hasSize(1);
    }
    drop();
  }
}
