package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * The snapshot leases of other nodes on partitions of this node: truncation keeps what a leased
 * snapshot needs. Thread-safe.
 */
final class SnapshotLeases {
  /** A lease that is not renewed ends after this time. */
  private static final long HOLD_NANOS = 60_000_000_000L;

  /**
   * The time for which a released lease is remembered: pool threads may execute a renewal that was
   * sent earlier, or at the same time, after the release.
   */
  private static final long RELEASED_NANOS = 10_000_000_000L;

  /**
   * The time for which a newly opened partition retains everything, as its previous owner may hold
   * leases. Other nodes renew theirs here once they know that the partition is served here.
   */
  static final long UNKNOWN_NANOS = HOLD_NANOS;

  private record Lease(ActiveSnapshots.Registration claim, long untilNanos) {}

  private final ActiveSnapshots active;
  private final LongSupplier nanoTime;
  private final Map<Long, Lease> leases = new ConcurrentHashMap<>();

  /** The times until which released leases are remembered. */
  private final Map<Long, Long> released = new ConcurrentHashMap<>();

  /**
   * @param active the snapshots that this node holds
   */
  SnapshotLeases(ActiveSnapshots active, LongSupplier nanoTime) {
    this.active = active;
    this.nanoTime = nanoTime;
  }

  /**
   * Limits what a newly opened partition may discard: nothing until the leases on it are known
   * here, whichever node has held them before.
   *
   * @param later the limit from then on: lowers a vector to what other nodes may need
   */
  static UnaryOperator<VectorClock> fromOpening(
      UnaryOperator<VectorClock> later, LongSupplier nanoTime) {
    // Starts at the first call, as the partition starts: reading the journal may take longer.
    AtomicLong sinceNanos = new AtomicLong();
    return vector -> {
      long nowNanos = nanoTime.getAsLong();
      sinceNanos.compareAndSet(0, nowNanos == 0 ? 1 : nowNanos);
      return nowNanos - sinceNanos.get() < UNKNOWN_NANOS ? VectorClock.ZERO : later.apply(vector);
    };
  }

  /**
   * Acquires or renews a lease, unless it was released.
   *
   * @throws StablecutException if the partition no longer has the snapshot
   */
  void hold(Partition partition, Request.HoldLease hold) {
    // The new registration precedes the end of the old one: the snapshot stays held meanwhile.
    ActiveSnapshots.Registration claim = active.pin(hold.at());
    Lease before = leases.put(hold.lease(), new Lease(claim, nanoTime.getAsLong() + HOLD_NANOS));
    if (before != null) {
      before.claim.end();
    }
    if (released.containsKey(hold.lease())) {
      end(hold.lease());
      return;
    }
    try {
      partition.check(hold.at());
    } catch (StablecutException e) {
      end(hold.lease());
      throw e;
    }
  }

  /** Releases a lease, if it exists, permanently. */
  void release(long lease) {
    // Recorded first: a concurrent renewal either finds this, or is found.
    released.put(lease, nanoTime.getAsLong() + RELEASED_NANOS);
    end(lease);
  }

  private void end(long lease) {
    Lease ended = leases.remove(lease);
    if (ended != null) {
      ended.claim.end();
    }
  }

  /** Ends expired leases. */
  void tick() {
    long nowNanos = nanoTime.getAsLong();
    leases.forEach(
        (claim, one) -> {
          if (nowNanos - one.untilNanos > 0 && leases.remove(claim, one)) {
            one.claim.end();
          }
        });
    released.values().removeIf(untilNanos -> nowNanos - untilNanos > 0);
  }
}
