package io.github.stablecut.internal.truncation;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The agreement of a partition's replicas on checkpoints, so that all write the same ones.
 * Thread-safe.
 *
 * <p>Invariant: a replica prunes a state at a frontier only once a majority of the replicas knows
 * the frontier. The next leader therefore accepts no transaction that began below it.
 */
public interface ReplicaCheckpointAgreement {
  /**
   * Announces a checkpoint that this replica is about to write. Returns once a majority knows of
   * it.
   *
   * @throws io.github.stablecut.error.StablecutException if no majority confirms; then the
   *     checkpoint must not be written
   */
  void announce(Checkpoint checkpoint);

  /**
   * Announces the last checkpoint again if this replica has dropped something since: the others
   * keep what they believe it needs.
   */
  void announceTruncation();

  /** The last checkpoint announced by a leader, if this replica follows. */
  Optional<Checkpoint> announced();

  /**
   * The frontier at which others may have pruned states complete at a vector, as announced by this
   * replica or an earlier leader. All later transactions began at or above it.
   */
  VectorClock frontierAt(VectorClock at);

  /** The agreement of a leader with its followers, if any. */
  static ReplicaCheckpointAgreement followedBy(
      Consumer<Checkpoint> announcing,
      Runnable announcingAgain,
      UnaryOperator<VectorClock> frontierAt) {
    return new ReplicaCheckpointAgreement() {
      @Override
      public void announce(Checkpoint checkpoint) {
        announcing.accept(checkpoint);
      }

      @Override
      public void announceTruncation() {
        announcingAgain.run();
      }

      @Override
      public Optional<Checkpoint> announced() {
        return Optional.empty();
      }

      @Override
      public VectorClock frontierAt(VectorClock at) {
        return frontierAt.apply(at);
      }
    };
  }

  /** The agreement of a follower with its leader. */
  static ReplicaCheckpointAgreement ledBy(Supplier<Checkpoint> lastAnnounced) {
    return new ReplicaCheckpointAgreement() {
      @Override
      public void announce(Checkpoint checkpoint) {
        // The leader has already announced it.
      }

      @Override
      public void announceTruncation() {
        // Each replica drops what it can.
      }

      @Override
      public Optional<Checkpoint> announced() {
        return Optional.of(lastAnnounced.get());
      }

      @Override
      public VectorClock frontierAt(VectorClock at) {
        // The leader determines the frontier.
        return VectorClock.ZERO;
      }
    };
  }
}
