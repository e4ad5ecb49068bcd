package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.materializer.Folding;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import java.util.Optional;
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
  private final Turn turn;
  private long left;

  /** The call's turn to make a large answer. */
  interface Turn {
    /** Of a call whose answers are all made at once. */
    Turn NONE =
        new Turn() {
          @Override
          public boolean isExpected(Bytes id) {
            return false;
          }

          @Override
          public void begin() {}

          @Override
          public void expect(Bytes id) {}
        };

    /** Whether an object was large the last time. */
    boolean isExpected(Bytes id);

    /** Waits for the turn, unless the call has it. */
    void begin();

    /** An object is large. */
    void expect(Bytes id);
  }

  /**
   * @param most how many there may be in the answer to the call
   */
  AnswerBytes(long most, Turn turn) {
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
      return taken(encode(question, reading.get()), () -> "the answer to " + query);
    }
    if (turn.isExpected(id)) {
      turn.begin();
    } else if (left > SMALL_BYTES) {
      Optional<Bytes> small = encode(query.target().type(), reading.get(), SMALL_BYTES);
      if (small.isPresent()) {
        left -= small.get().length();
        return small.get();
      }
      turn.expect(id);
      turn.begin();
    }
    return of(id, query.target().type(), reading.get());
  }

  /**
   * Those of a state.
   *
   * @param id of its object
   * @throws LimitExceededException if there are more than may be, with those before
   */
  Bytes of(Bytes id, CrdtType<?, ?, ?, ?> type, Object state) {
    return taken(limit -> encode(type, state, limit), () -> type.name() + " " + Key.nameOf(id));
  }

  private static Optional<Bytes> encode(CrdtType<?, ?, ?, ?> type, Object state, long limit) {
    return Folding.encodeState(type, state, limit).map(Bytes::wrap);
  }

  @SuppressWarnings("unchecked") // the answer is the question's own, undecoded
  private static <A> LongFunction<Optional<Bytes>> encode(ObjectQuery<A, ?> query, Object answer) {
    return limit -> QuestionCodec.encodeAnswer(query.question(), (A) answer, limit);
  }

  /** What is read next may be large: waits for the turn before. */
  void expectLarge() {
    turn.begin();
  }

  static boolean isLarge(long bytes) {
    return bytes > SMALL_BYTES;
  }

  private Bytes taken(LongFunction<Optional<Bytes>> encoding, Supplier<String> what) {
    Optional<Bytes> bytes = encoding.apply(Math.min(left, SMALL_BYTES));
    if (bytes.isEmpty() && left > SMALL_BYTES) {
      turn.begin();
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
