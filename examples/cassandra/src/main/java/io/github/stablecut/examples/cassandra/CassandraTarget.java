package io.github.stablecut.examples.cassandra;

import io.github.stablecut.examples.bench.commit.CommitTarget;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.db.ConsistencyLevel;

/**
 * Records of one partition, which are read, or updated by a lightweight transaction whose condition
 * holds. Statements are prepared, and executed without a network.
 *
 * @param isReader whether a commit is a read
 */
record CassandraTarget(boolean isReader) implements CommitTarget {
  private static final int RECORDS = 1_000;

  static void createTable() {
    execute(
        "CREATE KEYSPACE bench WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    execute(
        "CREATE TABLE bench.records (partition int, record int, version int, body blob, PRIMARY KEY (partition, record))");
    for (int record = 0; record < RECORDS; record++) {
      QueryProcessor.execute(
              "INSERT INTO bench.records (partition, record, version) VALUES (0, ?, 0)",
              ConsistencyLevel.ONE,
              record);
    }
  }

  private static void execute(String definition) {
    QueryProcessor.process(definition, ConsistencyLevel.ONE);
  }

  @Override
  public void commit(byte[] body) {
    int record = ThreadLocalRandom.current().nextInt(RECORDS);
    UntypedResultSet result =
        isReader
            ? QueryProcessor.execute(
                "SELECT version, body FROM bench.records WHERE partition = 0 AND record = ?",
                ConsistencyLevel.ONE,
                record)
            : QueryProcessor.execute(
                "UPDATE bench.records SET version = 1, body = ? WHERE partition = 0 AND record = ? IF version >= 0",
                ConsistencyLevel.ONE,
                ByteBuffer.wrap(body),
                record);
    UntypedResultSet.Row row = result.one();
    if (row == null || (!isReader && !row.getBoolean("[applied]"))) {
      throw new IllegalStateException("a record is missing, or a condition that holds was refused");
    }
  }

  /** Cassandra does not count them. */
  @Override
  public long syncs() {
    return -1;
  }

  @Override
  public void close() {}
}
