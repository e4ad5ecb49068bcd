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
  private final Optional<LargeAnswers.Permit> permit;
  private long leftBytes;

  /**
   * @param maxBytes maximum size of the answer to the call
   * @param permit the call's permit for large answers; empty if it needs none
   */
  public AnswerBytes(long maxBytes, Optional<LargeAnswers.Permit> permit) {
    this.maxBytes = maxBytes;
    this.leftBytes = maxBytes;
    this.permit = permit;
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
          LargeAnswers.Permit::acquire,
          () -> "the answer to " + query);
    }
    permit.ifPresent(of -> of.acquireIfExpected(id));
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
        of -> of.acquireFor(id),
        () -> type.name() + " " + Key.nameOf(id));
  }

  @SuppressWarnings("unchecked") // the answer is the question's own, undecoded
  private static <A> LongFunction<Optional<Bytes>> encode(ObjectQuery<A, ?> query, Object answer) {
    return limit -> QuestionCodec.encodeAnswer(query.question(), (A) answer, limit);
  }

  /** Acquires a permit before a read whose result may be large. */
  void expectLarge() {
    permit.ifPresent(LargeAnswers.Permit::acquire);
  }

  static boolean isLarge(long bytes) {
    return bytes > SMALL_BYTES;
  }

  /**
   * Encodes a result, with a permit if it is large.
   *
   * @param encoding returns the bytes, or empty if they exceed the given number
   * @param acquisition acquires the permit
   * @param what describes the result in an error
   */
  private Bytes encode(
      LongFunction<Optional<Bytes>> encoding,
      Consumer<LargeAnswers.Permit> acquisition,
      Supplier<String> what) {
    boolean mayBeLarge = permit.isEmpty() || permit.get().isHeld();
    Optional<Bytes> bytes =
        encoding.apply(mayBeLarge ? leftBytes : Math.min(leftBytes, SMALL_BYTES));
    if (bytes.isEmpty() && !mayBeLarge && leftBytes > SMALL_BYTES) {
      permit.ifPresent(acquisition);
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
