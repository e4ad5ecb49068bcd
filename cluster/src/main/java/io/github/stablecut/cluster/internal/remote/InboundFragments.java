package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Puts messages together again that came in fragments. Each fragment says where it belongs, so that
 * a message is lost if one of its fragments was, and not taken for another. Memory is reserved for
 * fragments that have come; nothing is announced. Confined to one actor.
 */
final class InboundFragments {
  /** What gets no piece for so long has lost its rest. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * A message that is whole.
   *
   * @param claim the memory that it takes, to be closed once it is let go of
   */
  record Whole(Bytes bytes, TrafficBudget.Reservation claim) {}

  /**
   * What the parts of a message have in common.
   *
   * @param from who sends it
   * @param number that the sender gives no other message of its kind
   */
  record Id(Object from, long number) {}

  private static final class Unfinished {
    private final List<Bytes> pieces = new ArrayList<>();
    private final TrafficBudget.Reservation claim;
    private int bytes;
    private long touched;

    Unfinished(TrafficBudget.Reservation claim) {
      this.claim = claim;
    }
  }

  private final LongSupplier nanoTime;
  private final TrafficBudget budget;

  /** The one that was begun first is the first. */
  private final Map<Id, Unfinished> unfinished = new LinkedHashMap<>();

  /** Of all that is unfinished. */
  private long unfinishedBytes;

  /**
   * @param budget the memory for what is not whole, and for what is and was not let go of
   */
  InboundFragments(LongSupplier nanoTime, TrafficBudget budget) {
    this.nanoTime = nanoTime;
    this.budget = budget;
  }

  /**
   * Keeps a piece until the rest is there, if there is memory for it. Otherwise nothing of its
   * message is kept any more, unless that must not be refused.
   *
   * @return false if there is no memory
   */
  boolean keep(Id id, Fragment piece, boolean isRefusable) {
    forgetOld();
    Bytes part = piece.bytes();
    Unfinished message = unfinished.get(id);
    if (message == null) {
      if (piece.offset() != 0) {
        return true;
      }
      message = new Unfinished(budget.take(0));
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
    message.touched = nanoTime.getAsLong();
    return true;
  }

  private boolean hasRoom(Unfinished message, int more, boolean isRefusable) {
    // The first has room before the others: otherwise all could stop each other half-way.
    boolean isFirst = unfinished.values().iterator().next() == message;
    if (message.claim.tryGrow(more, isFirst ? unfinishedBytes - message.bytes : 0)) {
      return true;
    }
    if (!isRefusable) {
      message.claim.resize((long) message.bytes + more);
    }
    return !isRefusable;
  }

  private void forget(Id id) {
    take(id).ifPresent(message -> message.claim.close());
  }

  private Optional<Unfinished> take(Id id) {
    Optional<Unfinished> taken = Optional.ofNullable(unfinished.remove(id));
    taken.ifPresent(message -> unfinishedBytes -= message.bytes);
    return taken;
  }

  /** Lets go of what has lost its rest. */
  private void forgetOld() {
    Iterator<Unfinished> all = unfinished.values().iterator();
    while (all.hasNext()) {
      Unfinished message = all.next();
      if (nanoTime.getAsLong() - message.touched >= PATIENCE.toNanos()) {
        message.claim.close();
        unfinishedBytes -= message.bytes;
        all.remove();
      }
    }
  }

  /** A message of one part; empty if there is no memory for it. */
  Optional<Whole> single(Fragment only, boolean isRefusable) {
    // Perhaps nobody sends pieces any more, and what is not whole keeps its memory.
    forgetOld();
    int length = only.bytes().length();
    Optional<TrafficBudget.Reservation> claim =
        isRefusable ? budget.tryTake(length) : Optional.of(budget.take(length));
    return claim.map(taken -> new Whole(only.bytes(), taken));
  }

  /** The whole of what a last part of several ends; empty if a piece was lost or not kept. */
  Optional<Whole> finish(Id id, Fragment last) {
    Optional<Unfinished> begun = take(id);
    if (begun.isEmpty()) {
      return Optional.empty();
    }
    Unfinished message = begun.get();
    if (message.bytes != last.offset()) {
      message.claim.close();
      return Optional.empty();
    }
    message.claim.resize((long) message.bytes + last.bytes().length());
    return Optional.of(new Whole(whole(message, last.bytes()), message.claim));
  }

  private static Bytes whole(Unfinished message, Bytes last) {
    byte[] all = new byte[message.bytes + last.length()];
    int length = 0;
    for (Bytes piece : message.pieces) {
      piece.copyInto(all, length);
      length += piece.length();
    }
    last.copyInto(all, length);
    return Bytes.wrap(all);
  }
}
