package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.PartitionUnavailableException;
import java.time.Instant;

/** Messages about a clock that is too far ahead. Stateless. */
public final class ClockDrift {
  private ClockDrift() {}

  /** The failure of a request from a node whose clock is too far ahead. */
  public static PartitionUnavailableException of(long otherTime, NodeClock ownClock) {
    return new PartitionUnavailableException(
        "the clock of the requesting node is ahead of that of the partition's owner: "
            + words(otherTime, ownClock));
  }

  /** A description for users and administrators of this node. */
  public static String words(long otherTime, NodeClock ownClock) {
    return "it says %s and this node's machine %s, which differ by more than %s (cluster.max-clock-drift): synchronize the clocks"
        .formatted(
            Timestamp.format(otherTime),
            Instant.ofEpochMilli(ownClock.hybrid().machine().millis()),
            DurationWords.of(ownClock.maxDrift()));
  }
}
