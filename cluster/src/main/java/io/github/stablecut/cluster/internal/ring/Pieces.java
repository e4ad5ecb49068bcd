package io.github.stablecut.cluster.internal.ring;

import akka.actor.typed.ActorRef;
import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Cuts what is too large for one frame, and puts it together again: frames stay small, so that what
 * is small does not wait long behind what is large. Each piece says where it belongs, so that a
 * message of which one was lost is lost, and not taken for another. Confined to one actor.
 */
final class Pieces {
  /** The largest piece; {@link RingConfig} allows frames a bit above it. */
  static final int PIECE_BYTES = 128 << 10;

  /** The largest message; all that are unfinished take no more together. */
  static final int MAX_BYTES = 512 << 20;

  /** What gets no piece for so long has lost its rest. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * A part of a message.
   *
   * @param offset how many bytes are before it
   */
  record Part(int offset, Bytes bytes) {}

  private record Id(Optional<ActorRef<RingMessage>> from, long number) {}

  private static final class Unfinished {
    private final List<Bytes> pieces = new ArrayList<>();
    private int bytes;
    private long touched;
  }

  private final LongSupplier nanoTime;

  /** The one that got its last piece first is the first. */
  private final Map<Id, Unfinished> unfinished = new LinkedHashMap<>();

  private long bytes;

  Pieces(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** The parts of some bytes, in order; one if they are few. */
  static List<Part> cut(Bytes bytes) {
    if (bytes.length() <= PIECE_BYTES) {
      return List.of(new Part(0, bytes));
    }
    if (bytes.length() > MAX_BYTES) {
      throw new BadMessageException(
          "%,d bytes, at most %,d go between nodes".formatted(bytes.length(), MAX_BYTES));
    }
    byte[] all = bytes.toArray();
    List<Part> parts = new ArrayList<>();
    for (int from = 0; from < all.length; from += PIECE_BYTES) {
      int to = Math.min(all.length, from + PIECE_BYTES);
      parts.add(new Part(from, Bytes.wrap(Arrays.copyOfRange(all, from, to))));
    }
    return parts;
  }

  /**
   * Sends some bytes in parts.
   *
   * @param piece takes all but the last part, in order
   * @param last takes that then
   */
  static void send(Bytes bytes, Consumer<Part> piece, Consumer<Part> last) {
    List<Part> parts = cut(bytes);
    parts.subList(0, parts.size() - 1).forEach(piece);
    last.accept(parts.get(parts.size() - 1));
  }

  /** Keeps a piece until the rest is there. */
  void keep(RingMessage.Piece piece) {
    Id id = new Id(piece.from(), piece.number());
    Unfinished message = take(id).orElseGet(Unfinished::new);
    Bytes part = piece.part().bytes();
    if (piece.part().offset() == message.bytes && part.length() <= MAX_BYTES - message.bytes) {
      message.pieces.add(part);
      message.bytes += part.length();
      message.touched = nanoTime.getAsLong();
      var unused = unfinished.put(id, message);
      bytes += message.bytes;
    }
    forgetOld();
  }

  private Optional<Unfinished> take(Id id) {
    Optional<Unfinished> taken = Optional.ofNullable(unfinished.remove(id));
    taken.ifPresent(message -> bytes -= message.bytes);
    return taken;
  }

  /** Lets go of what has lost its rest, and of the oldest if there is too much. */
  private void forgetOld() {
    Iterator<Unfinished> oldestFirst = unfinished.values().iterator();
    while (oldestFirst.hasNext()) {
      Unfinished oldest = oldestFirst.next();
      if (bytes <= MAX_BYTES && nanoTime.getAsLong() - oldest.touched < PATIENCE.toNanos()) {
        return;
      }
      bytes -= oldest.bytes;
      oldestFirst.remove();
    }
  }

  /** The whole of what a last part ends; empty if a piece of it was lost. */
  Optional<Bytes> finish(Optional<ActorRef<RingMessage>> from, long number, Part last) {
    if (last.offset() == 0) {
      return Optional.of(last.bytes());
    }
    return take(new Id(from, number))
        .filter(message -> message.bytes == last.offset())
        .map(message -> whole(message, last.bytes()));
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
