package io.github.stablecut.cluster.internal.handoff;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The announcements that this node is about to leave the cluster: while there is one, the node
 * accepts no partitions. Each caller renews its announcement; if the caller disappears before all
 * partitions are moved, the announcement expires and the node stays. Thread-safe.
 */
final class LeaveAnnouncement {
  private final LongSupplier nanoTime;

  /** The expiry time of each caller's announcement. */
  private final Map<String, Long> ends = new HashMap<>();

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
   * @param by the caller
   * @param time until the caller's announcement expires; zero to withdraw it
   */
  synchronized void announce(String by, Duration time) {
    ends.put(by, nanoTime.getAsLong() + time.toNanos());
  }

  /** Makes the announcement permanent. */
  synchronized void finish() {
    isFinal = true;
  }

  synchronized boolean isUnderWay() {
    long nowNanos = nanoTime.getAsLong();
    ends.values().removeIf(endNanos -> nowNanos - endNanos >= 0);
    return isFinal || !ends.isEmpty();
  }
}
