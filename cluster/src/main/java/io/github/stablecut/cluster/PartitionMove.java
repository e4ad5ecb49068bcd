package io.github.stablecut.cluster;

import java.time.Duration;

/**
 * How far the move of a partition is. Immutable.
 *
 * @param from the name of the node that has it, or had it
 * @param to the name of the node that gets it, or has it
 * @param copiedBytes so much is there
 * @param totalBytes so much there is to be, as was known last
 * @param pause how long nobody served the partition; zero while it is not known
 * @param problem why it has failed, or does not go on; empty if all is well
 * @param number that no other move has
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
  /** What is being done. */
  public enum State {
    /** The owner serves, and its files are copied. */
    COPYING,
    /** The owner serves no more, and the other node not yet. */
    SWITCHING,
    /** The new owner serves. */
    DONE,
    /** The old owner serves. */
    FAILED
  }
}
