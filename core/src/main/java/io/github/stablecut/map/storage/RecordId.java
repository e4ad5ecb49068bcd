package io.github.stablecut.map.storage;

import io.github.stablecut.crdt.Bytes;

/**
 * The name of a record. Records are ordered by space, lead, partition and rest, each by its
 * unsigned bytes. A storage should keep the records of one partition together, whatever their
 * spaces and leads, so that computations on them are cheap. Immutable.
 *
 * @param space a family of records, such as those of a table; not empty
 * @param lead precedes the partition in the order: the value of an index; usually empty
 * @param partition not empty
 * @param rest the position within the partition
 */
public record RecordId(Bytes space, Bytes lead, Bytes partition, Bytes rest)
    implements Comparable<RecordId> {
  /** Checks that space and partition are not empty. */
  public RecordId {
    if (space.length() == 0 || partition.length() == 0) {
      throw new IllegalArgumentException(
          "a record has a space and a partition: %s, %s".formatted(space, partition));
    }
  }

  /** Returns a record name without a lead. */
  public static RecordId of(Bytes space, Bytes partition, Bytes rest) {
    return new RecordId(space, Bytes.EMPTY, partition, rest);
  }

  @Override
  public int compareTo(RecordId other) {
    int bySpace = space.compareTo(other.space);
    if (bySpace != 0) {
      return bySpace;
    }
    int byLead = lead.compareTo(other.lead);
    if (byLead != 0) {
      return byLead;
    }
    int byPartition = partition.compareTo(other.partition);
    return byPartition != 0 ? byPartition : rest.compareTo(other.rest);
  }
}
