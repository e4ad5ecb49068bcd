package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.PartitionUnavailableException;
import java.time.Instant;

/** What is said of a clock that is too far ahead. */
public final class ClockDrift {
  private ClockDrift() {}

  /** To the node whose clock it is. */
  public static PartitionUnavailableException of(long theirs, NodeClock ours) {
    return new PartitionUnavailableException(
        "the clock of the node that asks is ahead of that of the partition's owner: "
            + words(theirs, ours));
  }

  /** To those who use this node, or operate it. */
  public static String words(long theirs, NodeClock ours) {
    return "it says %s, and this node's machine %s, more than %s (cluster.max-clock-drift) apart: set the clocks"
        .formatted(
            Timestamp.format(theirs),
            Instant.ofEpochMilli(ours.hybrid().machine().millis()),
            DurationWords.of(ours.maxDrift()));
  }
}
