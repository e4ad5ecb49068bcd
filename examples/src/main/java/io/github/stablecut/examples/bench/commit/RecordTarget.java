package io.github.stablecut.examples.bench.commit;

import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Comparison;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * Records of one partition of a table, which are read, or updated under a condition that holds.
 *
 * @param isReader whether a commit is a read
 */
record RecordTarget(Store store, TableMap map, boolean isReader) implements CommitTarget {
  private static final int RECORDS = 1_000;
  private static final Table TABLE =
      Table.named("bench", "records")
          .partitionKey("partition", ColumnType.INT)
          .clusteringKey("record", ColumnType.INT)
          .column("version", ColumnType.INT)
          .column("body", ColumnType.BLOB);

  /** Creates the records. */
  static void fill(TableMap map) {
    map.createNamespace("bench");
    map.createTable(TABLE);
    map.mutate(
        IntStream.range(0, RECORDS)
            .mapToObj(record -> Put.of(TABLE.key(0, record)).value("version", 0))
            .toList());
  }

  @Override
  public void commit(byte[] body) {
    int record = ThreadLocalRandom.current().nextInt(RECORDS);
    if (isReader) {
      if (map.get(TABLE.key(0, record)).isEmpty()) {
        throw new IllegalStateException("record %d is missing".formatted(record));
      }
      return;
    }
    Put put = Put.of(TABLE.key(0, record)).value("version", 1).value("body", Bytes.copyOf(body));
    if (!map.mutate(put.onlyIf(Comparison.atLeast("version", 0)))) {
      throw new IllegalStateException("a condition that holds was refused");
    }
  }

  @Override
  public long syncs() {
    return store.status().journal().syncs();
  }

  /** The store stays open. */
  @Override
  public void close() {}
}
