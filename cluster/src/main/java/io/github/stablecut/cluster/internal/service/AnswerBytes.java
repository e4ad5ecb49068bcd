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
  private final Runnable beginLarge;
  private long left;

  /**
   * @param most how many there may be in the answer to the call
   * @param beginLarge called before a large one is made
   */
  AnswerBytes(long most, Runnable beginLarge) {
    this.most = most;
    this.left = most;
    this.beginLarge = beginLarge;
  }

  /**
   * Those of the answer to a query.
   *
   * @throws LimitExceededException if there are more than may be, with those before
   */
  Bytes of(Query<?> query, Object answer) {
    return query instanceof ObjectQuery<?, ?> question
        ? taken(encode(question, answer), () -> "the answer to " + query)
        : of(query.target().id(), query.target().type(), answer);
  }

  /**
   * Those of a state.
   *
   * @param id of its object
   * @throws LimitExceededException if there are more than may be, with those before
   */
  Bytes of(Bytes id, CrdtType<?, ?, ?, ?> type, Object state) {
    return taken(
        limit -> Folding.encodeState(type, state, limit).map(Bytes::wrap),
        () -> type.name() + " " + Key.nameOf(id));
  }

  @SuppressWarnings("unchecked") // the answer is the question's own, undecoded
  private static <A> LongFunction<Optional<Bytes>> encode(ObjectQuery<A, ?> query, Object answer) {
    return limit -> QuestionCodec.encodeAnswer(query.question(), (A) answer, limit);
  }

  private Bytes taken(LongFunction<Optional<Bytes>> encoding, Supplier<String> what) {
    Optional<Bytes> bytes = encoding.apply(Math.min(left, SMALL_BYTES));
    if (bytes.isEmpty() && left > SMALL_BYTES) {
      beginLarge.run();
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
