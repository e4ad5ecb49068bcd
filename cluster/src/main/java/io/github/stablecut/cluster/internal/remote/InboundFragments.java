package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Reassembles messages from fragments. Each fragment names its offset, so a lost fragment loses the
 * message and never corrupts it. Memory is reserved as fragments arrive, never for announced
 * lengths. Confined to one actor.
 */
final class InboundFragments {
  /** The default time after which a message that receives no fragment is dropped. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * A complete message.
   *
   * @param reservation its memory, closed by the consumer
   */
  record CompleteMessage(Bytes bytes, TrafficBudget.Reservation reservation) {}

  /**
   * Identifies a message.
   *
   * @param from the sender
   * @param number unique among the sender's messages of this kind
   */
  record Id(Object from, long number) {}

  private static final class PartialMessage {
    private final Deque<Bytes> pieces = new ArrayDeque<>();
    private final TrafficBudget.Reservation reservation;
    private int bytes;
    private long touchedAtNanos;

    PartialMessage(TrafficBudget.Reservation reservation) {
      this.reservation = reservation;
    }
  }

  private final LongSupplier nanoTime;
  private final TrafficBudget budget;
  private final Duration patience;

  /** The incomplete messages, in the order in which they began. */
  private final Map<Id, PartialMessage> unfinished = new LinkedHashMap<>();

  /** The total size of the unfinished messages. */
  private long unfinishedBytes;

  /**
   * @param budget the memory for unfinished messages, and for complete ones until they are consumed
   */
  InboundFragments(LongSupplier nanoTime, TrafficBudget budget) {
    this(nanoTime, budget, PATIENCE);
  }

  /**
   * @param budget the memory for unfinished messages, and for complete ones until they are consumed
   * @param patience a message that receives no fragment for this time is dropped
   */
  InboundFragments(LongSupplier nanoTime, TrafficBudget budget, Duration patience) {
    this.nanoTime = nanoTime;
    this.budget = budget;
    this.patience = patience;
  }

  /**
   * Keeps a fragment until its message is complete. Without memory for it, drops the message,
   * unless it must not be refused.
   *
   * @return false if there is no memory
   */
  boolean keep(Id id, Fragment piece, boolean isRefusable) {
    forgetOld();
    Bytes part = piece.bytes();
    PartialMessage message = unfinished.get(id);
    if (message == null) {
      if (piece.offset() != 0) {
        return true;
      }
      message = new PartialMessage(budget.take(0));
      unfinished.put(id, message);
    }
    if (piece.offset() != message.bytes
        || part.length() > Fragment.MAX_MESSAGE_BYTES - message.bytes) {
      forget(id);
      return true;
    }
    if (!hasRoom(message, part.length(), isRefusable)) {
      forget(id);
      return false;
    }
    message.pieces.add(part);
    message.bytes += part.length();
    unfinishedBytes += part.length();
    message.touchedAtNanos = nanoTime.getAsLong();
    return true;
  }

  private boolean hasRoom(PartialMessage message, int more, boolean isRefusable) {
    // The oldest message takes precedence; otherwise all could block each other half-way.
    boolean isFirst = unfinished.values().iterator().next() == message;
    if (message.reservation.tryGrow(more, isFirst ? unfinishedBytes - message.bytes : 0)) {
      return true;
    }
    if (!isRefusable) {
      message.reservation.resize((long) message.bytes + more);
    }
    return !isRefusable;
  }

  private void forget(Id id) {
    take(id).ifPresent(message -> message.reservation.close());
  }

  private Optional<PartialMessage> take(Id id) {
    Optional<PartialMessage> taken = Optional.ofNullable(unfinished.remove(id));
    taken.ifPresent(message -> unfinishedBytes -= message.bytes);
    return taken;
  }

  /** Drops messages whose remaining fragments are lost. */
  private void forgetOld() {
    Iterator<PartialMessage> all = unfinished.values().iterator();
    while (all.hasNext()) {
      PartialMessage message = all.next();
      if (nanoTime.getAsLong() - message.touchedAtNanos >= patience.toNanos()) {
        message.reservation.close();
        unfinishedBytes -= message.bytes;
        all.remove();
      }
    }
  }

  /** Returns whether a message has begun and is incomplete. */
  boolean has(Id id) {
    return unfinished.containsKey(id);
  }

  /** Returns a message of one fragment; empty if there is no memory for it. */
  Optional<CompleteMessage> single(Fragment only, boolean isRefusable) {
    // If no more fragments arrive, nothing else frees the memory of unfinished messages.
    forgetOld();
    int length = only.bytes().length();
    Optional<TrafficBudget.Reservation> reservation =
        isRefusable ? budget.tryTake(length) : Optional.of(budget.take(length));
    return reservation.map(taken -> new CompleteMessage(only.bytes(), taken));
  }

  /** Completes a message with its last fragment; empty if a fragment was lost or dropped. */
  Optional<CompleteMessage> finish(Id id, Fragment last) {
    Optional<PartialMessage> partial = take(id);
    if (partial.isEmpty()) {
      return Optional.empty();
    }
    PartialMessage message = partial.get();
    if (message.bytes != last.offset()) {
      message.reservation.close();
      return Optional.empty();
    }
    try {
      message.reservation.resize((long) message.bytes + last.bytes().length());
      return Optional.of(new CompleteMessage(whole(message, last.bytes()), message.reservation));
    } catch (RuntimeException | Error e) {
      message.reservation.close();
      throw e;
    }
  }

  private static Bytes whole(PartialMessage message, Bytes last) {
    byte[] all = new byte[message.bytes + last.length()];
    int length = 0;
    while (!message.pieces.isEmpty()) {
      // No one else holds the fragment: its memory becomes free for the next copy.
      Bytes piece = message.pieces.remove();
      piece.copyInto(all, length);
      length += piece.length();
    }
    last.copyInto(all, length);
    return Bytes.wrap(all);
  }
}
