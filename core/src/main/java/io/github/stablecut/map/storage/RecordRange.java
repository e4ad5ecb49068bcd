package io.github.stablecut.map.storage;

import io.github.stablecut.crdt.Bytes;
import java.util.Optional;

/**
 * Consecutive records: those of a space with one lead, or of one of its partitions between two
 * bounds. Immutable.
 *
 * @param lead the lead of all records; if empty, the records without one
 * @param partition empty for all partitions
 * @param low the least rest; empty unless there is a partition
 * @param high the exclusive upper bound of the rest; empty for no bound, and unless there is a
 *     partition
 * @param isDescending whether the greatest record comes first
 * @param limit the maximum number of records, above 0
 */
public record RecordRange(
    Bytes space,
    Bytes lead,
    Optional<Bytes> partition,
    Bytes low,
    Optional<Bytes> high,
    boolean isDescending,
    long limit) {
  /** Checks that only a partition has bounds. */
  public RecordRange {
    if (partition.isEmpty() && (low.length() > 0 || high.isPresent())) {
      throw new IllegalArgumentException("bounds are positions in a partition: name the partition");
    }
    if (limit < 1) {
      throw new IllegalArgumentException("the limit of a range is at least 1 record, not " + limit);
    }
  }

  /** Returns the range of all records of a space that have a lead, ascending. */
  public static RecordRange of(Bytes space, Bytes lead) {
    return new RecordRange(
        space, lead, Optional.empty(), Bytes.EMPTY, Optional.empty(), false, Long.MAX_VALUE);
  }

  /** Returns the range of the records of a partition without a lead, ascending. */
  public static RecordRange of(Bytes space, Bytes partition, Bytes low, Optional<Bytes> high) {
    return new RecordRange(
        space, Bytes.EMPTY, Optional.of(partition), low, high, false, Long.MAX_VALUE);
  }

  /** Returns the same range with a direction and a limit. */
  public RecordRange ordered(boolean descending, long most) {
    return new RecordRange(space, lead, partition, low, high, descending, most);
  }

  /** Returns whether the range contains a record, regardless of the limit. */
  public boolean contains(RecordId id) {
    return id.space().equals(space)
        && id.lead().equals(lead)
        && partition.filter(one -> !one.equals(id.partition())).isEmpty()
        && id.rest().compareTo(low) >= 0
        && high.filter(end -> id.rest().compareTo(end) >= 0).isEmpty();
  }
}
