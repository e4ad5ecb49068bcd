package io.github.stablecut.cluster.internal.service.handle;

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
 * Encodes the results of queries and scans, up to the maximum size of an answer. Confined to a
 * call.
 */
public final class AnswerBytes {
  /** A larger answer is large and needs a permit. */
  private static final long SMALL_BYTES = 256 << 10;

  private final long maxBytes;
  private final Optional<LargeAnswers.Turn> turn;
  private long leftBytes;

  /**
   * @param maxBytes maximum size of the answer to the call
   * @param turn the call's permit for large answers; empty if it needs none
   */
  public AnswerBytes(long maxBytes, Optional<LargeAnswers.Turn> turn) {
    this.maxBytes = maxBytes;
    this.leftBytes = maxBytes;
    this.turn = turn;
  }

  /**
   * Encodes the answer to a query. An object that is remembered as large is read only with a
   * permit, so that a waiting call holds no memory.
   *
   * @param reading reads the answer, the same each time
   * @throws LimitExceededException if the results exceed the maximum
   */
  public Bytes read(Query<?> query, Supplier<?> reading) {
    Bytes id = query.target().id();
    if (query instanceof ObjectQuery<?, ?> question) {
      return encode(
          encode(question, reading.get()),
          LargeAnswers.Turn::begin,
          () -> "the answer to " + query);
    }
    turn.ifPresent(of -> of.beginIfExpected(id));
    return encode(id, query.target().type(), reading);
  }

  /**
   * Encodes a state.
   *
   * @param id the object's id
   * @throws LimitExceededException if the results exceed the maximum
   */
  Bytes of(Bytes id, CrdtType<?, ?, ?, ?> type, Object state) {
    return encode(id, type, () -> state);
  }

  private Bytes encode(Bytes id, CrdtType<?, ?, ?, ?> type, Supplier<?> state) {
    return encode(
        limit -> CallTypes.encodeState(type, state.get(), limit).map(Bytes::wrap),
        of -> of.beginFor(id),
        () -> type.name() + " " + Key.nameOf(id));
  }

  @SuppressWarnings("unchecked") // the answer is the question's own, undecoded
  private static <A> LongFunction<Optional<Bytes>> encode(ObjectQuery<A, ?> query, Object answer) {
    return limit -> QuestionCodec.encodeAnswer(query.question(), (A) answer, limit);
  }

  /** Acquires a permit before a read whose result may be large. */
  void expectLarge() {
    turn.ifPresent(LargeAnswers.Turn::begin);
  }

  static boolean isLarge(long bytes) {
    return bytes > SMALL_BYTES;
  }

  /**
   * Encodes a result, with a permit if it is large.
   *
   * @param encoding returns the bytes, or empty if they exceed the given number
   * @param begin acquires the permit
   * @param what describes the result in an error
   */
  private Bytes encode(
      LongFunction<Optional<Bytes>> encoding,
      Consumer<LargeAnswers.Turn> begin,
      Supplier<String> what) {
    boolean mayBeLarge = turn.isEmpty() || turn.get().isHeld();
    Optional<Bytes> bytes =
        encoding.apply(mayBeLarge ? leftBytes : Math.min(leftBytes, SMALL_BYTES));
    if (bytes.isEmpty() && !mayBeLarge && leftBytes > SMALL_BYTES) {
      turn.ifPresent(begin);
      bytes = encoding.apply(leftBytes);
    }
    if (bytes.isEmpty()) {
      throw new LimitExceededException(
          "%s is larger than the %,d bytes left of the %,d of an answer (max-response-bytes, at most an eighth of the server's heap): read parts of it (questions, pages), less in one call, or only keys (keysOnly), or give the server more heap (-Xmx)"
              .formatted(what.get(), leftBytes, maxBytes));
    }
    leftBytes -= bytes.get().length();
    return bytes.get();
  }
}
