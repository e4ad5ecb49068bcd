package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Reassembles messages to replicas in a dedicated budget: commits wait for these messages, so they
 * never wait for memory that requests hold. A message without memory is dropped, and its sender
 * repeats it. The senders of dropped messages take turns: the next message of the first sender may
 * exceed the budget, unless another message does. Each message therefore passes eventually,
 * whatever its size and however full the budget is. Confined to one actor.
 */
final class ReplicaFragments {
  /** A sender that repeats nothing for this time loses its turn. */
  static final Duration TURN = Duration.ofSeconds(5);

  /**
   * A message that receives no fragment for this time is dropped: its sender has given up by then.
   */
  static final Duration PATIENCE = OutboundFragments.STALL.plusSeconds(2);

  /**
   * A replica that sends messages: one large message at a time.
   *
   * @param from its node
   * @param partition the partition of the replica
   */
  record Source(NodeRef from, int partition) {}

  private final LongSupplier nanoTime;
  private final TrafficBudget budget;
  private final InboundFragments fragments;

  /** The time at which a message of each sender was last dropped, in the order of their turns. */
  private final Map<Source, Long> dropped = new LinkedHashMap<>();

  /** The last message that might exceed the budget, while it is unfinished. */
  private Optional<InboundFragments.Id> exceeding = Optional.empty();

  /** The memory of that message once it is complete. */
  private Optional<TrafficBudget.Reservation> exceeded = Optional.empty();

  /**
   * @param budget the memory for messages, complete or not, until the replicas have handled them
   */
  ReplicaFragments(LongSupplier nanoTime, TrafficBudget budget) {
    this.nanoTime = nanoTime;
    this.budget = budget;
    this.fragments = new InboundFragments(nanoTime, budget, PATIENCE);
  }

  /** Returns whether a message has begun here and is incomplete. */
  boolean has(InboundFragments.Id id) {
    return fragments.has(id);
  }

  /** Like {@link InboundFragments#keep}. */
  boolean keep(InboundFragments.Id id, Source source, Fragment piece) {
    if (piece.offset() == 0 && isNext(source)) {
      exceeding = Optional.of(id);
    }
    boolean isRefusable = !exceeding.equals(Optional.of(id));
    boolean isKept = fragments.keep(id, piece, isRefusable);
    if (!isKept) {
      recordDrop(source);
    }
    return isKept;
  }

  private void recordDrop(Source source) {
    dropped.put(source, nanoTime.getAsLong());
  }

  /** Like {@link InboundFragments#single}. */
  Optional<InboundFragments.CompleteMessage> single(Source source, Fragment only) {
    if (budget.isSmall(only.bytes().length())) {
      return fragments.single(only, true);
    }
    boolean isNext = isNext(source);
    Optional<InboundFragments.CompleteMessage> whole = fragments.single(only, !isNext);
    if (whole.isEmpty()) {
      recordDrop(source);
    } else {
      dropped.remove(source);
      if (isNext) {
        exceeded = whole.map(InboundFragments.CompleteMessage::reservation);
      }
    }
    return whole;
  }

  /** Like {@link InboundFragments#finish}. */
  Optional<InboundFragments.CompleteMessage> finish(
      InboundFragments.Id id, Source source, Fragment last) {
    boolean isExceeding = exceeding.equals(Optional.of(id));
    Optional<InboundFragments.CompleteMessage> whole = fragments.finish(id, last);
    if (isExceeding) {
      exceeding = Optional.empty();
      exceeded = whole.map(InboundFragments.CompleteMessage::reservation);
    }
    if (whole.isPresent()) {
      dropped.remove(source);
    }
    return whole;
  }

  /** Returns whether it is a sender's turn to exceed the budget. */
  private boolean isNext(Source source) {
    if (dropped.isEmpty()) {
      return false;
    }
    long nowNanos = nanoTime.getAsLong();
    dropped.values().removeIf(whenNanos -> nowNanos - whenNanos >= TURN.toNanos());
    boolean isFree =
        exceeding.filter(fragments::has).isEmpty()
            && exceeded.filter(memory -> !memory.isClosed()).isEmpty();
    return isFree && !dropped.isEmpty() && dropped.keySet().iterator().next().equals(source);
  }
}
