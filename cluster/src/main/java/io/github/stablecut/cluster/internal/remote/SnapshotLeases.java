package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Snapshots that other nodes hold on the partitions of this one, so that nothing is truncated that
 * they read. Thread-safe.
 */
final class SnapshotLeases {
  /** A snapshot that nobody asks for any more is let go of after this time. */
  private static final long HOLD_NANOS = 60_000_000_000L;

  private record Held(ActiveSnapshots.Registration claim, long until) {}

  private final ActiveSnapshots active;
  private final Map<Long, Held> held = new ConcurrentHashMap<>();

  /**
   * @param active the claims of this node
   */
  SnapshotLeases(ActiveSnapshots active) {
    this.active = active;
  }

  /**
   * Begins to hold a snapshot, or goes on.
   *
   * @throws StablecutException if the partition does not have it any more
   */
  void hold(Partition partition, Request.Hold hold) {
    // Both are there until the check: a claim is never gone while it is renewed.
    ActiveSnapshots.Registration claim = active.pin(hold.at());
    Held before = held.put(hold.claim(), new Held(claim, System.nanoTime() + HOLD_NANOS));
    if (before != null) {
      before.claim.end();
    }
    try {
      partition.check(hold.at());
    } catch (StablecutException e) {
      release(hold.claim());
      throw e;
    }
  }

  /** Lets go of a snapshot, if it is held. */
  void release(long claim) {
    Held released = held.remove(claim);
    if (released != null) {
      released.claim.end();
    }
  }

  /** Lets go of snapshots whose holders have disappeared. */
  void tick() {
    long now = System.nanoTime();
    held.forEach(
        (claim, one) -> {
          if (now - one.until > 0 && held.remove(claim, one)) {
            one.claim.end();
          }
        });
  }
}
