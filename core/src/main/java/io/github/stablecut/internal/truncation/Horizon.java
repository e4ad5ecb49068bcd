package io.github.stablecut.internal.truncation;

import io.github.stablecut.SnapshotTruncatedException;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The oldest snapshot that may be read, and the race for it between those who begin to read and
 * those who forget. Both follow Dekker's pattern: who begins publishes its snapshot and then looks
 * at the intention to forget; who forgets publishes the intention and then looks at the published
 * snapshots. So at least one of them sees the other. Thread-safe.
 */
public final class Horizon {
  private final ActiveSnapshots active;

  /** Lowers a vector to what transactions of other nodes may still need. */
  private final UnaryOperator<VectorClock> elsewhere;

  /** Lowers a vector to the snapshots of transactions that are not decided. */
  private final UnaryOperator<VectorClock> undecided;

  /** Nothing below it may be read. */
  private volatile VectorClock low;

  /** Transactions that will write begin at or above it. */
  private volatile VectorClock intendedFrontier = VectorClock.ZERO;

  /** At or above the frontier of every checkpoint; those that arrive from elsewhere are above. */
  private volatile VectorClock lateFrontier = VectorClock.ZERO;

  /**
   * @param active what is claimed, on this partition and others
   * @param elsewhere lowers a vector to what transactions that began on other nodes may still need
   * @param undecided lowers a vector to the snapshots of transactions that are prepared here; asked
   *     after the claims, because a transaction is in those until it is in these
   * @param low the low watermark that the manifest has
   */
  public Horizon(
      ActiveSnapshots active,
      UnaryOperator<VectorClock> elsewhere,
      UnaryOperator<VectorClock> undecided,
      VectorClock low) {
    this.active = active;
    this.elsewhere = elsewhere;
    this.undecided = undecided;
    this.low = low;
  }

  /** Whether a transaction may begin at a snapshot, which it has claimed before it asks. */
  public boolean admits(VectorClock snapshot) {
    return low.isAtOrBefore(snapshot) && intendedFrontier.isAtOrBefore(snapshot);
  }

  /**
   * Whether a transaction that began elsewhere may commit here; its snapshot was claimed here
   * before this is asked. Nothing that its effects may be made from is pruned or forgotten then.
   */
  public boolean admitsLate(VectorClock snapshot) {
    return low.isAtOrBefore(snapshot) && lateFrontier.isAtOrBefore(snapshot);
  }

  /**
   * Checks that a snapshot is kept: after it was claimed, or, if nobody has claimed it, after it
   * was read.
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

  /** Tells the prune frontier of the newest checkpoint. Before anybody asks. */
  public void recover(VectorClock frontier) {
    lateFrontier = lateFrontier.join(frontier);
  }

  /** The oldest snapshot that may be read. */
  public VectorClock low() {
    return low;
  }

  /** The oldest snapshot that somebody needs. */
  public VectorClock minDependency(VectorClock newest) {
    return undecided.apply(active.minDependency(elsewhere.apply(newest)));
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
    VectorClock intended = newestAtOrBefore(candidates, minDependency(limit), before);
    low = intended;
    VectorClock raised = newestAtOrBefore(candidates, minDependency(intended), before);
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
    VectorClock late = elsewhere.apply(vector);
    lateFrontier = lateFrontier.join(late);
    intendedFrontier = vector;
    return minDependency(late);
  }
}
