package io.github.stablecut.internal.record;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The metadata of a transaction's record, besides time and effects. Immutable. */
public sealed interface TransactionMetadata {
  /**
   * The metadata of a transaction of one partition.
   *
   * @param request the session's request that the transaction executes
   */
  record OnePartition(Optional<RequestId> request) implements TransactionMetadata {
    private static final OnePartition WITHOUT_SESSION = new OnePartition(Optional.empty());
  }

  /**
   * The metadata in the coordinator's record of a transaction of several partitions.
   *
   * @param transaction its id
   * @param participants the other partitions that take part; at least one
   * @param request the session's request that the transaction executes
   */
  record Decision(
      TransactionId transaction, List<Integer> participants, Optional<RequestId> request)
      implements TransactionMetadata {
    /** Copies the list. */
    public Decision {
      participants = List.copyOf(participants);
      if (participants.isEmpty()) {
        throw new IllegalArgumentException("transaction " + transaction + " has no participants");
      }
    }

    @Override
    public Optional<TransactionId> id() {
      return Optional.of(transaction);
    }
  }

  /**
   * The metadata in a participant's records of a transaction of several partitions.
   *
   * @param transaction its id
   * @param certified in a prepared record: the objects that the participant has certified
   * @param ranges in a prepared record: the ranges of ids that the participant has certified
   */
  record Participant(
      TransactionId transaction, List<Bytes> certified, List<Footprint.Elements> ranges)
      implements TransactionMetadata {
    /** Copies the lists. */
    public Participant {
      certified = List.copyOf(certified);
      ranges = List.copyOf(ranges);
    }

    @Override
    public Optional<TransactionId> id() {
      return Optional.of(transaction);
    }
  }

  /**
   * The metadata of a transaction from another data centre.
   *
   * @param predecessor the commit time of the previous one in the stream, or a time since which
   *     there was none
   */
  record Received(long predecessor) implements TransactionMetadata {
    @Override
    public OptionalLong previous() {
      return OptionalLong.of(predecessor);
    }
  }

  /** The metadata of a transaction of one partition outside of sessions. */
  static TransactionMetadata none() {
    return OnePartition.WITHOUT_SESSION;
  }

  /** The metadata of a transaction of one partition. */
  static TransactionMetadata of(Optional<RequestId> request) {
    return request.isEmpty() ? none() : new OnePartition(request);
  }

  /** The metadata of a coordinator's record. */
  static TransactionMetadata decision(
      TransactionId id, List<Integer> participants, Optional<RequestId> request) {
    return new Decision(id, participants, request);
  }

  /** The metadata of a participant's records. */
  static TransactionMetadata participant(TransactionId id, List<Bytes> certified) {
    return participant(id, certified, List.of());
  }

  /** The metadata of a participant's records. */
  static TransactionMetadata participant(
      TransactionId id, List<Bytes> certified, List<Footprint.Elements> ranges) {
    return new Participant(id, certified, ranges);
  }

  /** The metadata of a transaction from another data centre: see {@link Received}. */
  static TransactionMetadata received(long predecessor) {
    return new Received(predecessor);
  }

  /** The session's request that the transaction executes. */
  default Optional<RequestId> request() {
    return Optional.empty();
  }

  /** The id of a transaction of several partitions. */
  default Optional<TransactionId> id() {
    return Optional.empty();
  }

  /** Returns the other partitions that take part; empty except in a coordinator's record. */
  default List<Integer> participants() {
    return List.of();
  }

  /** Returns the certified objects; empty except in a prepared record. */
  default List<Bytes> certified() {
    return List.of();
  }

  /** Returns the certified ranges of ids; empty except in a prepared record. */
  default List<Footprint.Elements> ranges() {
    return List.of();
  }

  /** Returns {@link Received#predecessor}; empty except in a record from another data centre. */
  default OptionalLong previous() {
    return OptionalLong.empty();
  }

  /** Whether this is the coordinator's record of a transaction of several partitions. */
  default boolean isDecision() {
    return this instanceof Decision;
  }
}
