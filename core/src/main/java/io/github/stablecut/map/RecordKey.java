package io.github.stablecut.map;

import java.util.List;
import java.util.Objects;

/**
 * The primary key of a record, created by {@link Table#key}. Immutable.
 *
 * @param partition the values of the partition key, in order
 * @param clustering the values of the clustering key, in order
 */
public record RecordKey(TableName table, List<Object> partition, List<Object> clustering) {
  /** Copies the lists. */
  public RecordKey {
    Objects.requireNonNull(table, "table");
    partition = List.copyOf(partition);
    clustering = List.copyOf(clustering);
  }
}
