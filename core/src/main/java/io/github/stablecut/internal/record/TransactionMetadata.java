package io.github.stablecut.internal.record;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The metadata of a transaction's record, besides time and effects. Immutable.
 *
 * @param request the session's request that the transaction executes
 * @param id its id, if several partitions take part
 * @param participants in the coordinator's record: the other partitions that take part
 * @param certified in a prepared record: the objects that it has certified
 * @param ranges in a prepared record: the ranges of ids that it has certified
 * @param previous in a record from another data centre: the commit time of the previous transaction
 *     in that data centre's stream, or a time since which there was none
 */
public record TransactionMetadata(
    Optional<RequestId> request,
    Optional<TransactionId> id,
    List<Integer> participants,
    List<Bytes> certified,
    List<Footprint.Elements> ranges,
    OptionalLong previous) {
  /** The metadata of a transaction of one partition outside of sessions. */
  public static final TransactionMetadata NONE =
      new TransactionMetadata(
          Optional.empty(),
          Optional.empty(),
          List.of(),
          List.of(),
          List.of(),
          OptionalLong.empty());

  /** Copies the lists. */
  public TransactionMetadata {
    participants = List.copyOf(participants);
    certified = List.copyOf(certified);
    ranges = List.copyOf(ranges);
  }

  /** The metadata of a transaction of one partition. */
  public static TransactionMetadata of(Optional<RequestId> request) {
    return request.isEmpty()
        ? NONE
        : new TransactionMetadata(
            request, Optional.empty(), List.of(), List.of(), List.of(), OptionalLong.empty());
  }

  /** The metadata of a coordinator's record. */
  public static TransactionMetadata decision(
      TransactionId id, List<Integer> participants, Optional<RequestId> request) {
    return new TransactionMetadata(
        request, Optional.of(id), participants, List.of(), List.of(), OptionalLong.empty());
  }

  /** The metadata of a participant's records. */
  public static TransactionMetadata participant(TransactionId id, List<Bytes> certified) {
    return participant(id, certified, List.of());
  }

  /** The metadata of a participant's records. */
  public static TransactionMetadata participant(
      TransactionId id, List<Bytes> certified, List<Footprint.Elements> ranges) {
    return new TransactionMetadata(
        Optional.empty(), Optional.of(id), List.of(), certified, ranges, OptionalLong.empty());
  }

  /**
   * The metadata of a transaction from another data centre.
   *
   * @param previous the commit time of the previous one in the stream, or a time since which there
   *     was none
   */
  public static TransactionMetadata received(long previous) {
    return new TransactionMetadata(
        Optional.empty(),
        Optional.empty(),
        List.of(),
        List.of(),
        List.of(),
        OptionalLong.of(previous));
  }

  /** Whether this is the coordinator's record of a transaction of several partitions. */
  public boolean isDecision() {
    return id.isPresent() && !participants.isEmpty();
  }
}
