package io.github.stablecut.cluster.internal.ring;

import akka.actor.typed.ActorRef;
import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Cuts what is too large for one frame, and puts it together again: frames stay small, so that what
 * is small does not wait long behind what is large. Confined to one actor.
 */
final class Pieces {
  /** The largest piece; {@link RingConfig} allows frames a bit above it. */
  static final int PIECE_BYTES = 128 << 10;

  /** The largest message. */
  static final int MAX_BYTES = 512 << 20;

  /** So many messages may be unfinished; the oldest lost their rest. */
  private static final int MAX_UNFINISHED = 256;

  private record Id(Optional<ActorRef<RingMessage>> from, long number) {}

  private static final class Unfinished {
    private final List<Bytes> pieces = new ArrayList<>();
    private long bytes;
  }

  private final Map<Id, Unfinished> unfinished = new LinkedHashMap<>();

  /** The pieces of some bytes, in order; one if they are small. */
  static List<Bytes> cut(Bytes bytes) {
    if (bytes.length() <= PIECE_BYTES) {
      return List.of(bytes);
    }
    if (bytes.length() > MAX_BYTES) {
      throw new BadMessageException(
          "%,d bytes, at most %,d go between nodes".formatted(bytes.length(), MAX_BYTES));
    }
    byte[] all = bytes.toArray();
    List<Bytes> pieces = new ArrayList<>();
    for (int from = 0; from < all.length; from += PIECE_BYTES) {
      pieces.add(
          Bytes.wrap(Arrays.copyOfRange(all, from, Math.min(all.length, from + PIECE_BYTES))));
    }
    return pieces;
  }

  /** Keeps a piece until the rest is there. */
  void keep(RingMessage.Piece piece) {
    Id id = new Id(piece.from(), piece.number());
    Unfinished message = unfinished.computeIfAbsent(id, key -> new Unfinished());
    message.bytes += piece.bytes().length();
    message.pieces.add(piece.bytes());
    if (message.bytes > MAX_BYTES) {
      unfinished.remove(id);
    }
    if (unfinished.size() > MAX_UNFINISHED) {
      Iterator<Id> oldest = unfinished.keySet().iterator();
      var unused = oldest.next();
      oldest.remove();
    }
  }

  /** The whole of what a last piece ends. */
  Bytes finish(Optional<ActorRef<RingMessage>> from, long number, Bytes last) {
    Unfinished message = unfinished.remove(new Id(from, number));
    if (message == null) {
      return last;
    }
    byte[] all = new byte[(int) message.bytes + last.length()];
    int length = 0;
    for (Bytes piece : message.pieces) {
      piece.copyInto(all, length);
      length += piece.length();
    }
    last.copyInto(all, length);
    return Bytes.wrap(all);
  }
}
