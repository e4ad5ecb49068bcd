package io.github.stablecut.internal.recovery;

/**
 * A claim of a node's directory on a partition, before the node opens it. A node that knows a
 * higher epoch detects by it that the directory is an older copy. Immutable.
 *
 * @param epoch the partition's epoch known to this directory; 0 for a copy, which has none
 */
public record PartitionClaim(int partition, Kind kind, long epoch) {
  /** The kind of claim. */
  public enum Kind {
    /** The node owns the partition; the epoch is in PARTITION. */
    HAS,
    /** The node gave the partition away, with this epoch. */
    GAVE,
    /**
     * The node has a complete copy, and only the sender knows whether it owns it ({@link
     * MoveMark}).
     */
    COPIED
  }
}
