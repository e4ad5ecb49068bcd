package io.github.stablecut.cluster;

import java.time.Duration;

/**
 * The progress of a partition's move. Immutable.
 *
 * @param from the name of the sending node, the owner before the move
 * @param to the name of the receiving node
 * @param copiedBytes how much was copied
 * @param totalBytes how much there is to copy, as last known
 * @param pause how long no node served the partition; zero until known
 * @param problem why the move has failed or is stuck; empty if it is well
 * @param number identifies the move
 */
public record PartitionMove(
    String from,
    String to,
    State state,
    long copiedBytes,
    long totalBytes,
    Duration pause,
    String problem,
    long number) {
  /** The phase of a move. */
  public enum State {
    /** The files are being copied; the old owner still serves. */
    COPYING,
    /** The old owner has stopped serving, and the new owner does not serve yet. */
    SWITCHING,
    /** The new owner serves. */
    DONE,
    /** The move was given up; the old owner serves. */
    FAILED
  }
}
