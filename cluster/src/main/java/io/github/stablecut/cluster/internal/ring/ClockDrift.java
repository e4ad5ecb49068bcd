package io.github.stablecut.cluster.internal.ring;

import io.github.stablecut.PartitionUnavailableException;
import io.github.stablecut.causality.Timestamp;

/** What is said of a clock that is too far ahead. */
final class ClockDrift {
  private ClockDrift() {}

  static PartitionUnavailableException of(long theirs, NodeClock ours) {
    return new PartitionUnavailableException(
        "the other node's clock says %s, and that of the partition's owner %s, more than %s apart: set the clocks"
            .formatted(
                Timestamp.format(theirs), Timestamp.format(ours.now()), NodeClock.MAX_DRIFT));
  }
}
