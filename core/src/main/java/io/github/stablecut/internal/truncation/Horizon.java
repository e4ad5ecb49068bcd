package io.github.stablecut.internal.truncation;

import io.github.stablecut.SnapshotTruncatedException;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import java.util.List;
import java.util.function.Supplier;

/**
 * The oldest snapshot that may be read, and the race for it between those who begin to read and
 * those who forget. Both follow Dekker's pattern: who begins publishes its snapshot and then looks
 * at the intention to forget; who forgets publishes the intention and then looks at the published
 * snapshots. So at least one of them sees the other. Thread-safe.
 */
public final class Horizon {
  private final ActiveSnapshots active;

  /** Nothing below it may be read. */
  private volatile VectorClock low;

  /** Transactions that will write begin at or above it. */
  private volatile VectorClock intendedFrontier = VectorClock.ZERO;

  /**
   * @param low the low watermark that the manifest has
   */
  public Horizon(ActiveSnapshots active, VectorClock low) {
    this.active = active;
    this.low = low;
  }

  /** Claims the newest snapshot. */
  public ActiveSnapshots.Registration begin(Supplier<VectorClock> newest) {
    while (true) {
      VectorClock snapshot = newest.get();
      ActiveSnapshots.Registration registration = active.register(snapshot);
      if (low.isAtOrBefore(snapshot) && intendedFrontier.isAtOrBefore(snapshot)) {
        return registration;
      }
      registration.end();
    }
  }

  /**
   * Claims a snapshot until the claim is ended.
   *
   * @throws SnapshotTruncatedException if it is too old
   */
  public ActiveSnapshots.Registration pin(VectorClock snapshot) {
    ActiveSnapshots.Registration registration = active.pin(snapshot);
    if (!low.isAtOrBefore(snapshot)) {
      registration.end();
      throw truncated(snapshot);
    }
    return registration;
  }

  /**
   * Checks that a snapshot that nobody had claimed was kept all the time, after it was read.
   *
   * @throws SnapshotTruncatedException if it is too old
   */
  public void check(VectorClock snapshot) {
    if (!low.isAtOrBefore(snapshot)) {
      throw truncated(snapshot);
    }
  }

  private SnapshotTruncatedException truncated(VectorClock snapshot) {
    return new SnapshotTruncatedException(
        "the snapshot of %s is truncated, the oldest that is kept is of %s: read a newer one; next time pin it, or keep history for longer"
            .formatted(Timestamp.format(snapshot.max()), Timestamp.format(low.max())));
  }

  /** The oldest snapshot that may be read. */
  public VectorClock low() {
    return low;
  }

  /** The oldest snapshot that somebody needs. */
  public VectorClock minDependency(VectorClock newest) {
    return active.minDependency(newest);
  }

  /**
   * Raises the low watermark as far as nobody minds.
   *
   * @param candidates the vectors that it may have, ascending
   * @param limit what it must not be above besides
   * @return the low watermark
   */
  VectorClock raise(List<VectorClock> candidates, VectorClock limit) {
    VectorClock before = low;
    VectorClock intended = newestAtOrBefore(candidates, active.minDependency(limit), before);
    low = intended;
    VectorClock raised = newestAtOrBefore(candidates, active.minDependency(intended), before);
    low = raised;
    return raised;
  }

  private static VectorClock newestAtOrBefore(
      List<VectorClock> candidates, VectorClock limit, VectorClock least) {
    VectorClock newest = least;
    for (VectorClock candidate : candidates) {
      if (candidate.isAtOrBefore(limit) && newest.isAtOrBefore(candidate)) {
        newest = candidate;
      }
    }
    return newest;
  }

  /**
   * Makes every transaction that begins from now on see a vector.
   *
   * @return the oldest snapshot of those that have begun, or the vector
   */
  VectorClock intendFrontier(VectorClock vector) {
    intendedFrontier = vector;
    return active.minDependency(vector);
  }
}
