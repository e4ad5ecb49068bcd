package io.github.stablecut.cluster.internal.handoff;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Whether this node is about to leave the cluster, so that it takes no partitions. Who has it leave
 * says so again and again, so that the node stays if that one disappears before all partitions are
 * moved. Thread-safe.
 */
final class LeaveAnnouncement {
  private final LongSupplier nanoTime;
  private Optional<Long> until = Optional.empty();
  private boolean isFinal;

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  LeaveAnnouncement(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * The node is about to leave.
   *
   * @param time for so long, unless it is said again; zero if it is not about to leave any more
   */
  synchronized void announce(Duration time) {
    until = Optional.of(nanoTime.getAsLong() + time.toNanos());
  }

  /** The node leaves, for good. */
  synchronized void finish() {
    isFinal = true;
  }

  synchronized boolean isUnderWay() {
    return isFinal || until.map(end -> nanoTime.getAsLong() - end < 0).orElse(false);
  }
}
