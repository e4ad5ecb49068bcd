package io.github.stablecut.internal.recovery;

/**
 * What a node's directory says of a partition before the node opens it. Others who have heard of a
 * greater epoch know by it that the directory is an older copy. Immutable.
 *
 * @param epoch how often the partition was opened or moved, as far as this directory knows; 0 of a
 *     copy, which says nothing of that
 */
public record PartitionClaim(int partition, Kind kind, long epoch) {
  /** Whose the partition is by the directory. */
  public enum Kind {
    /** The node's; the epoch is that in PARTITION. */
    HAS,
    /** Another's: the node gave it away; the epoch is that which it was given with. */
    GAVE,
    /** Perhaps the node's: it has a complete copy, and only the giver knows ({@link MoveMark}). */
    COPIED
  }
}
