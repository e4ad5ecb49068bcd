package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The snapshot leases of other nodes on partitions of this node: truncation keeps what a leased
 * snapshot needs. Thread-safe.
 */
final class SnapshotLeases {
  /** A lease that is not renewed ends after this time. */
  private static final long HOLD_NANOS = 60_000_000_000L;

  private record Lease(ActiveSnapshots.Registration claim, long until) {}

  private final ActiveSnapshots active;
  private final Map<Long, Lease> leases = new ConcurrentHashMap<>();

  /**
   * @param active the snapshots that this node holds
   */
  SnapshotLeases(ActiveSnapshots active) {
    this.active = active;
  }

  /**
   * Acquires or renews a lease.
   *
   * @throws StablecutException if the partition no longer has the snapshot
   */
  void hold(Partition partition, Request.Hold hold) {
    // The new registration precedes the end of the old one: the snapshot stays held meanwhile.
    ActiveSnapshots.Registration claim = active.pin(hold.at());
    Lease before = leases.put(hold.lease(), new Lease(claim, System.nanoTime() + HOLD_NANOS));
    if (before != null) {
      before.claim.end();
    }
    try {
      partition.check(hold.at());
    } catch (StablecutException e) {
      release(hold.lease());
      throw e;
    }
  }

  /** Releases a lease, if it exists. */
  void release(long claim) {
    Lease released = leases.remove(claim);
    if (released != null) {
      released.claim.end();
    }
  }

  /** Ends expired leases. */
  void tick() {
    long now = System.nanoTime();
    leases.forEach(
        (claim, one) -> {
          if (now - one.until > 0 && leases.remove(claim, one)) {
            one.claim.end();
          }
        });
  }
}
