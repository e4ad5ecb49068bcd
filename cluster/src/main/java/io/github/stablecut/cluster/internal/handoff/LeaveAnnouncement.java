package io.github.stablecut.cluster.internal.handoff;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Whether this node is about to leave the cluster, so that it accepts no partitions. The caller
 * renews the announcement; if the caller disappears before all partitions are moved, the
 * announcement expires and the node stays. Thread-safe.
 */
final class LeaveAnnouncement {
  private final LongSupplier nanoTime;
  private Optional<Long> until = Optional.empty();
  private boolean isFinal;

  /**
   * @param nanoTime a monotonic clock, as {@link System#nanoTime}
   */
  LeaveAnnouncement(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Announces that the node is about to leave.
   *
   * @param time until the announcement expires; zero to withdraw it
   */
  synchronized void announce(Duration time) {
    until = Optional.of(nanoTime.getAsLong() + time.toNanos());
  }

  /** Makes the announcement permanent. */
  synchronized void finish() {
    isFinal = true;
  }

  synchronized boolean isUnderWay() {
    return isFinal || until.map(end -> nanoTime.getAsLong() - end < 0).orElse(false);
  }
}
