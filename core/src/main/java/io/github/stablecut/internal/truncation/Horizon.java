package io.github.stablecut.internal.truncation;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.TransactionExpiredException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The oldest snapshot that may be read, and the oldest from which a transaction may commit.
 * Thread-safe.
 *
 * <p>It settles two races (docs/protocol.md, section 4.2):
 *
 * <ul>
 *   <li>Between readers and truncation, by Dekker's pattern: a reader publishes its snapshot and
 *       then reads the intended low watermark; the truncator publishes the intended low watermark
 *       and then reads the snapshots. At least one of them sees the other.
 *   <li>Between commits and pruning. An active snapshot can end before its transaction commits,
 *       because it expired or because the commit came from another node. Every commit is therefore
 *       checked under the commit lock, where its effects enter the index. The checkpointer
 *       publishes the frontier, passes through the commit lock, and only then reads the index. A
 *       commit that did not see the frontier is in the index by then, and lowers it.
 * </ul>
 */
public final class Horizon {
  private final ActiveSnapshots active;

  /** Lowers a vector to the snapshots that transactions of other nodes and partitions may need. */
  private final UnaryOperator<VectorClock> elsewhere;

  /** Lowers a vector, in the entries of other data centres, to what all partitions have. */
  private final UnaryOperator<VectorClock> shared;

  /** Lowers a vector to the snapshots of undecided transactions. */
  private final UnaryOperator<VectorClock> undecided;

  /** Returns once the current holder of the commit lock has released it. */
  private final Runnable commitBarrier;

  /** The low watermark: nothing below it may be read. */
  private volatile VectorClock low;

  /** The intended low watermark, at or above {@link #low}. Written under this object's monitor. */
  private volatile VectorClock intendedLow;

  /** New transactions that write begin at or above it. */
  private volatile VectorClock intendedFrontier = VectorClock.ZERO;

  /** At or above the prune frontier of every checkpoint, including the one in progress. */
  private volatile VectorClock pruned = VectorClock.ZERO;

  /** The reason why commits are refused; empty while they are accepted. */
  private volatile Optional<String> closed = Optional.empty();

  /**
   * @param active the active snapshots, of this partition and others
   * @param elsewhere lowers a vector to the snapshots that transactions of other nodes may need
   * @param shared lowers a vector, in the entries of other data centres, to what all partitions
   *     have
   * @param undecided lowers a vector to the snapshots of transactions prepared here; called after
   *     the active snapshots are read, because a transaction stays among them until it is prepared
   * @param commitBarrier returns once the current holder of the commit lock has released it
   * @param low the low watermark in the manifest
   */
  public Horizon(
      ActiveSnapshots active,
      UnaryOperator<VectorClock> elsewhere,
      UnaryOperator<VectorClock> shared,
      UnaryOperator<VectorClock> undecided,
      Runnable commitBarrier,
      VectorClock low) {
    this.active = active;
    this.elsewhere = elsewhere;
    this.shared = shared;
    this.undecided = undecided;
    this.commitBarrier = commitBarrier;
    this.low = low;
    this.intendedLow = low;
  }

  /** Whether a transaction may begin at a snapshot that it has registered. */
  public boolean admits(VectorClock snapshot) {
    return intendedLow.isAtOrBefore(snapshot) && intendedFrontier.isAtOrBefore(snapshot);
  }

  /**
   * Checks that effects made from a snapshot may enter the index. The caller holds the commit lock
   * until they have.
   *
   * @throws TransactionExpiredException if states that the snapshot sees may have been pruned;
   *     nothing was changed
   * @throws ReplicationRefusedException if {@link #closeToCommits} was called; nothing was changed
   */
  public void checkCommit(VectorClock snapshot) {
    if (closed.isPresent()) {
      throw new ReplicationRefusedException(closed.get());
    }
    if (!low.isAtOrBefore(snapshot) || !pruned.isAtOrBefore(snapshot)) {
      throw new TransactionExpiredException(
          "the transaction's snapshot of %s is older than what the store keeps for open transactions, %s: nothing was changed, run the transaction again"
              .formatted(Timestamp.format(snapshot), Timestamp.format(low.join(pruned))));
    }
  }

  /**
   * Refuses all further commits; those before are in the index when it returns.
   *
   * @param why the message for refused commits
   */
  public void closeToCommits(String why) {
    closed = Optional.of(why);
    commitBarrier.run();
  }

  /** Accepts commits again. */
  public void openToCommits() {
    closed = Optional.empty();
  }

  /**
   * Checks that a snapshot is readable: after registering it or, unregistered, after reading at it.
   *
   * @throws SnapshotTruncatedException if it is too old
   */
  public void check(VectorClock snapshot) {
    if (!intendedLow.isAtOrBefore(snapshot)) {
      checkRaised(snapshot);
    }
  }

  /** Waits until the low watermark has its new value, which takes a moment. */
  private synchronized void checkRaised(VectorClock snapshot) {
    if (!low.isAtOrBefore(snapshot)) {
      throw new SnapshotTruncatedException(
          "the snapshot of %s is truncated, and the oldest readable one is of %s: read a newer one; next time pin it, or increase the retention"
              .formatted(Timestamp.format(snapshot), Timestamp.format(low)));
    }
  }

  /**
   * Sets the frontier to which earlier openings pruned, or allowed others to prune. Called before
   * any other method.
   */
  public void recover(VectorClock frontier) {
    pruned = pruned.join(frontier);
  }

  /** The oldest snapshot that may be read. */
  public VectorClock low() {
    return low;
  }

  /**
   * A vector with the entries of other data centres lowered to what all partitions have, as
   * snapshots are.
   */
  public VectorClock shared(LocalDataCentre local, VectorClock vector) {
    return local.othersAreAtOrBefore(vector, VectorClock.ZERO)
        ? vector
        : local.lowerOthers(vector, shared.apply(vector));
  }

  /** The minimum dependency: the oldest snapshot in use. */
  @CanIgnoreReturnValue
  public VectorClock minDependency(VectorClock newest) {
    return undecided.apply(active.minDependency(elsewhere.apply(newest)));
  }

  /**
   * Raises the low watermark as far as the snapshots in use allow.
   *
   * @param candidates the possible low watermarks, ascending
   * @param limit a further upper bound
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
   * checkpoint. Every transaction that enters the index from now on has a snapshot at or above the
   * returned frontier. All others are in the index already.
   *
   * @param vector the vector of the checkpoint
   * @return the oldest snapshot of open transactions, or the vector
   */
  public VectorClock intendFrontier(VectorClock vector) {
    intendedFrontier = vector;
    VectorClock frontier = minDependency(vector);
    pruned = pruned.join(frontier);
    commitBarrier.run();
    return frontier;
  }
}
