package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Makes the bytes of what queries and scans have found, of which a server sends only so many.
 * Confined to a call.
 */
final class AnswerBytes {
  /** What has more is large. */
  private static final long SMALL_BYTES = 256 << 10;

  private final long most;
  private final Optional<LargeAnswers.Turn> turn;
  private long left;

  /**
   * @param most how many there may be in the answer to the call
   * @param turn the call's, to make a large answer; empty if it needs none
   */
  AnswerBytes(long most, Optional<LargeAnswers.Turn> turn) {
    this.most = most;
    this.left = most;
    this.turn = turn;
  }

  /**
   * Those of the answer to a query. A large object is read when it is its turn: who waits for that
   * holds nothing.
   *
   * @param reading reads it, in the same state each time
   * @throws LimitExceededException if there are more than may be, with those before
   */
  Bytes read(Query<?> query, Supplier<?> reading) {
    Bytes id = query.target().id();
    if (query instanceof ObjectQuery<?, ?> question) {
      return taken(
          encode(question, reading.get()),
          LargeAnswers.Turn::begin,
          () -> "the answer to " + query);
    }
    turn.ifPresent(of -> of.beginIfExpected(id));
    return taken(id, query.target().type(), reading);
  }

  /**
   * Those of a state.
   *
   * @param id of its object
   * @throws LimitExceededException if there are more than may be, with those before
   */
  Bytes of(Bytes id, CrdtType<?, ?, ?, ?> type, Object state) {
    return taken(id, type, () -> state);
  }

  private Bytes taken(Bytes id, CrdtType<?, ?, ?, ?> type, Supplier<?> state) {
    return taken(
        limit -> CallTypes.encodeState(type, state.get(), limit).map(Bytes::wrap),
        of -> of.beginFor(id),
        () -> type.name() + " " + Key.nameOf(id));
  }

  @SuppressWarnings("unchecked") // the answer is the question's own, undecoded
  private static <A> LongFunction<Optional<Bytes>> encode(ObjectQuery<A, ?> query, Object answer) {
    return limit -> QuestionCodec.encodeAnswer(query.question(), (A) answer, limit);
  }

  /** What is read next may be large: waits for the turn before. */
  void expectLarge() {
    turn.ifPresent(LargeAnswers.Turn::begin);
  }

  static boolean isLarge(long bytes) {
    return bytes > SMALL_BYTES;
  }

  /**
   * Encodes something, in its turn if it is large.
   *
   * @param encoding gives the bytes if there are not more than so many
   * @param begin begins the turn
   * @param what it is, in words
   */
  private Bytes taken(
      LongFunction<Optional<Bytes>> encoding,
      Consumer<LargeAnswers.Turn> begin,
      Supplier<String> what) {
    boolean mayBeLarge = turn.isEmpty() || turn.get().isHeld();
    Optional<Bytes> bytes = encoding.apply(mayBeLarge ? left : Math.min(left, SMALL_BYTES));
    if (bytes.isEmpty() && !mayBeLarge && left > SMALL_BYTES) {
      turn.ifPresent(begin);
      bytes = encoding.apply(left);
    }
    if (bytes.isEmpty()) {
      throw new LimitExceededException(
          "%s is larger than the %,d bytes that are left for it of the %,d of an answer (max-response-bytes, at most an eighth of the server's heap): read parts of it (questions, pages), less in one call, or only keys (keysOnly), or give the server more heap (-Xmx)"
              .formatted(what.get(), left, most));
    }
    left -= bytes.get().length();
    return bytes.get();
  }
}
