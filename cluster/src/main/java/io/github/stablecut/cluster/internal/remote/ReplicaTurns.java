package io.github.stablecut.cluster.internal.remote;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Decides which large message to a replica may exceed the memory for them. Commits wait for these
 * messages, so each has to pass eventually, whatever its size and however full the budget is. A
 * message without memory is dropped, and its sender repeats it. The senders of dropped messages
 * take turns: the next message of the first one may exceed the budget, unless another message does.
 * Confined to the event loop of large messages.
 */
final class ReplicaTurns {
  /** A sender that repeats nothing for this time loses its turn. */
  static final Duration TURN = Duration.ofSeconds(5);

  /**
   * A replica that sends messages: one large message at a time.
   *
   * @param node its node
   * @param partition the partition of the replica
   */
  record Source(String node, int partition) {}

  private final LongSupplier nanoTime;

  /** The time at which a message of each sender was last dropped, in the order of their turns. */
  private final Map<Source, Long> dropped = new LinkedHashMap<>();

  /** The memory of the last message that might exceed the budget, until the replica handled it. */
  private Optional<TrafficBudget.Reservation> exceeding = Optional.empty();

  ReplicaTurns(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Returns whether it is a sender's turn to exceed the budget. */
  boolean isNext(Source source) {
    if (dropped.isEmpty()) {
      return false;
    }
    long now = nanoTime.getAsLong();
    dropped.values().removeIf(when -> now - when >= TURN.toNanos());
    return exceeding.filter(memory -> !memory.isClosed()).isEmpty()
        && !dropped.isEmpty()
        && dropped.keySet().iterator().next().equals(source);
  }

  /** Records that a message may exceed the budget. */
  void recordExceeding(TrafficBudget.Reservation memory) {
    exceeding = Optional.of(memory);
  }

  /** Records that a message of a sender was dropped. */
  void recordDrop(Source source) {
    dropped.put(source, nanoTime.getAsLong());
  }

  /** Records that a message of a sender is complete. */
  void recordComplete(Source source) {
    dropped.remove(source);
  }
}
