package io.github.stablecut.internal.truncation;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * What the copies of a partition tell each other of checkpoints, so that all make the same ones.
 * Thread-safe.
 *
 * <p>Invariant: a state is pruned at a frontier, on any copy, only once a majority of the copies
 * knows of it: whoever leads next takes no transaction that began below.
 */
public interface ReplicaCheckpointAgreement {
  /**
   * Tells of a checkpoint that this copy is about to make. Returns when a majority knows of it.
   *
   * @throws io.github.stablecut.error.StablecutException if it may not: then it is not to be made
   */
  void tell(Checkpoint checkpoint);

  /**
   * Tells again of the last checkpoint if this copy has dropped something since it told of that:
   * the others drop nothing that it needs, as far as they know.
   */
  void tellOfTruncation();

  /** The last checkpoint that a leader has told of, if this copy follows. */
  Optional<Checkpoint> told();

  /**
   * The frontier at which others may have pruned what is complete at a vector, as this copy or an
   * earlier leader has told them: all that is later has begun at or above it.
   */
  VectorClock frontierAt(VectorClock at);

  /** Those that follow this one, or none. */
  static ReplicaCheckpointAgreement followedBy(
      Consumer<Checkpoint> telling, Runnable tellingAgain, UnaryOperator<VectorClock> frontierAt) {
    return new ReplicaCheckpointAgreement() {
      @Override
      public void tell(Checkpoint checkpoint) {
        telling.accept(checkpoint);
      }

      @Override
      public void tellOfTruncation() {
        tellingAgain.run();
      }

      @Override
      public Optional<Checkpoint> told() {
        return Optional.empty();
      }

      @Override
      public VectorClock frontierAt(VectorClock at) {
        return frontierAt.apply(at);
      }
    };
  }

  /** A leader, which this copy follows. */
  static ReplicaCheckpointAgreement ledBy(Supplier<Checkpoint> told) {
    return new ReplicaCheckpointAgreement() {
      @Override
      public void tell(Checkpoint checkpoint) {
        // All know of it: the leader has told them.
      }

      @Override
      public void tellOfTruncation() {
        // Each copy drops what it can.
      }

      @Override
      public Optional<Checkpoint> told() {
        return Optional.of(told.get());
      }

      @Override
      public VectorClock frontierAt(VectorClock at) {
        // It is pruned at what the leader says.
        return VectorClock.ZERO;
      }
    };
  }
}
