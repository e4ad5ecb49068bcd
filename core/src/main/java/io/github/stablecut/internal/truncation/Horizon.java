package io.github.stablecut.internal.truncation;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.TransactionExpiredException;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The oldest snapshot that may be read, and the oldest that a transaction may have been made from.
 * Thread-safe.
 *
 * <p>Two races are settled here (docs/protocol.md, section 4.2):
 *
 * <ul>
 *   <li>Between those who begin to read and those who forget, by Dekker's pattern: a reader
 *       publishes its snapshot and then looks at the intention to forget; the truncator publishes
 *       the intention and then looks at the published snapshots. At least one of them sees the
 *       other.
 *   <li>Between those who commit and those who prune. A claim can end before its transaction is
 *       committed, because it is too old or because the commit came from another node. So each
 *       commit is checked under the commit lock, where its effects enter the index. The
 *       checkpointer publishes the frontier, passes through the commit lock, and only then looks
 *       into the index: a commit that did not see the frontier is in the index by then, and lowers
 *       it.
 * </ul>
 */
public final class Horizon {
  private final ActiveSnapshots active;

  /** Lowers a vector to what transactions of other nodes may still need. */
  private final UnaryOperator<VectorClock> elsewhere;

  /** Lowers a vector to the snapshots of transactions that are not decided. */
  private final UnaryOperator<VectorClock> undecided;

  /** Returns once whoever had the commit lock when it was called has let go of it. */
  private final Runnable commitBarrier;

  /** Nothing below it may be read. */
  private volatile VectorClock low;

  /** What {@link #low} may become; at or above it. Written under this object's monitor. */
  private volatile VectorClock intendedLow;

  /** Transactions that will write begin at or above it. */
  private volatile VectorClock intendedFrontier = VectorClock.ZERO;

  /** At or above the prune frontier of every checkpoint, also of the one that is being made. */
  private volatile VectorClock pruned = VectorClock.ZERO;

  /**
   * @param active what is claimed, on this partition and others
   * @param elsewhere lowers a vector to what transactions that began on other nodes may still need
   * @param undecided lowers a vector to the snapshots of transactions that are prepared here; asked
   *     after the claims, because a transaction is in those until it is in these
   * @param commitBarrier returns once whoever had the commit lock when it was called has let go of
   *     it
   * @param low the low watermark that the manifest has
   */
  public Horizon(
      ActiveSnapshots active,
      UnaryOperator<VectorClock> elsewhere,
      UnaryOperator<VectorClock> undecided,
      Runnable commitBarrier,
      VectorClock low) {
    this.active = active;
    this.elsewhere = elsewhere;
    this.undecided = undecided;
    this.commitBarrier = commitBarrier;
    this.low = low;
    this.intendedLow = low;
  }

  /** Whether a transaction may begin at a snapshot, which it has claimed before it asks. */
  public boolean admits(VectorClock snapshot) {
    return intendedLow.isAtOrBefore(snapshot) && intendedFrontier.isAtOrBefore(snapshot);
  }

  /**
   * Checks that effects which were made from a snapshot may enter the index. Under the commit lock,
   * which is kept until they have.
   *
   * @throws TransactionExpiredException if states that the snapshot sees may be pruned already;
   *     nothing was changed
   */
  public void checkCommit(VectorClock snapshot) {
    if (!low.isAtOrBefore(snapshot) || !pruned.isAtOrBefore(snapshot)) {
      throw new TransactionExpiredException(
          "the transaction's snapshot of %s is older than what the store keeps for open transactions, %s: nothing was changed, run the transaction again"
              .formatted(
                  Timestamp.format(snapshot.max()), Timestamp.format(low.join(pruned).max())));
    }
  }

  /**
   * Checks that a snapshot is kept: after it was claimed, or, if nobody has claimed it, after it
   * was read.
   *
   * @throws SnapshotTruncatedException if it is too old
   */
  public void check(VectorClock snapshot) {
    if (!intendedLow.isAtOrBefore(snapshot)) {
      checkRaised(snapshot);
    }
  }

  /** Waits until it is known how far the low watermark is raised, which takes a moment. */
  private synchronized void checkRaised(VectorClock snapshot) {
    if (!low.isAtOrBefore(snapshot)) {
      throw new SnapshotTruncatedException(
          "the snapshot of %s is truncated, the oldest that is kept is of %s: read a newer one; next time pin it, or keep history for longer"
              .formatted(Timestamp.format(snapshot.max()), Timestamp.format(low.max())));
    }
  }

  /** Tells the prune frontier of the newest checkpoint. Before anybody asks. */
  public void recover(VectorClock frontier) {
    pruned = pruned.join(frontier);
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
  synchronized VectorClock raise(List<VectorClock> candidates, VectorClock limit) {
    VectorClock intended = newestAtOrBefore(candidates, minDependency(limit), low);
    intendedLow = intended;
    low = newestAtOrBefore(candidates, minDependency(intended), low);
    intendedLow = low;
    return low;
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
   * Chooses how far a checkpoint may be pruned. Every transaction that begins from now on sees the
   * checkpoint; every one that enters the index from now on has a snapshot at or above the returned
   * frontier, and those that have not are in the index already.
   *
   * @param vector of the checkpoint
   * @return the oldest snapshot of those that have begun, or the vector
   */
  VectorClock intendFrontier(VectorClock vector) {
    intendedFrontier = vector;
    VectorClock frontier = minDependency(vector);
    pruned = pruned.join(frontier);
    commitBarrier.run();
    return frontier;
  }
}
