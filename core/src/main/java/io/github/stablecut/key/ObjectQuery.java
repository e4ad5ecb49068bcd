package io.github.stablecut.key;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.UnreadableValue;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.error.LimitExceededException;
import java.util.Optional;
import java.util.function.Function;

/**
 * A question about an object, created by keys, such as {@link SetKey#contains}. Immutable.
 *
 * @param <A> the answer as the type represents it
 * @param <V> the answer as readers see it
 */
public final class ObjectQuery<A, V> implements Query<V> {
  private final Key<?> key;
  private final Question<A> question;
  private final Function<? super A, ? extends V> decoding;
  private final Function<? super V, ? extends A> encoding;

  /**
   * @param question a question about the key's object
   * @param decoding converts an answer into what readers see
   * @param encoding the inverse of the decoding
   */
  static <A, V> ObjectQuery<A, V> of(
      Key<?> key,
      Question<A> question,
      Function<? super A, ? extends V> decoding,
      Function<? super V, ? extends A> encoding) {
    return new ObjectQuery<>(
        key, key.path().questionIn(key.ownType(), question), decoding, encoding);
  }

  /**
   * @param question a question about the stored object
   */
  private ObjectQuery(
      Key<?> key,
      Question<A> question,
      Function<? super A, ? extends V> decoding,
      Function<? super V, ? extends A> encoding) {
    this.key = key;
    this.question = question;
    this.decoding = decoding;
    this.encoding = encoding;
  }

  /** The same question, without decoding of answers. For implementations of {@code Store}. */
  public ObjectQuery<A, A> undecoded() {
    return new ObjectQuery<>(key, question, answer -> answer, answer -> answer);
  }

  /**
   * A question about a stored object, without decoding of answers. For implementations of {@code
   * Store}.
   */
  public static <A> ObjectQuery<A, A> of(Key<?> key, Question<A> question) {
    return key.ask(question);
  }

  @Override
  public Key<?> target() {
    return key;
  }

  /** The question as one about the stored object. For implementations of {@code Store}. */
  public Question<A> question() {
    return question;
  }

  /** The answer from a state of the stored object. For implementations of {@code Store}. */
  public A answer(Object state, VectorClock snapshot) {
    return answer(key.id(), key.type(), question, state, snapshot);
  }

  /**
   * The answer to a question about an object.
   *
   * @param id the object's id, for messages
   * @param state a state of the type
   * @throws LimitExceededException if the answer is a sum beyond the range of {@code long}
   */
  public static <A> A answer(
      Bytes id,
      CrdtType<?, ?, ?, ?> type,
      Question<A> question,
      Object state,
      VectorClock snapshot) {
    try {
      return question.answer(ObjectPath.valueOf(type, state, snapshot));
    } catch (LimitExceededException e) {
      throw UnreadableValue.named(Key.nameOf(id), e);
    }
  }

  /** This query if its answers are numbers, else empty. */
  @SuppressWarnings("unchecked") // the question states it
  Optional<ObjectQuery<? extends Number, ?>> asNumber() {
    return question.isNumber()
        ? Optional.of((ObjectQuery<? extends Number, ?>) (ObjectQuery<?, ?>) this)
        : Optional.empty();
  }

  /** This query if its answers are optional values, else empty. */
  @SuppressWarnings("unchecked") // the question states it
  Optional<ObjectQuery<Optional<Bytes>, ?>> asOptional() {
    return question.isOptional()
        ? Optional.of((ObjectQuery<Optional<Bytes>, ?>) (ObjectQuery<?, ?>) this)
        : Optional.empty();
  }

  /** Converts an answer into what readers see. */
  public V decode(A answer) {
    return decoding.apply(answer);
  }

  /** Converts what readers see into an answer. */
  A encode(V value) {
    return encoding.apply(value);
  }

  /** The footprint of an answer in the stored object. */
  public Footprint footprint(A answer) {
    return question.footprint(answer);
  }

  /** Whether a transaction that certifies its reads depends on the answer. */
  public boolean isCertified() {
    return question.isCertified();
  }

  @Override
  public V view(Object state, VectorClock snapshot) {
    return decode(answer(state, snapshot));
  }

  /**
   * Queries are equal if they ask the same question about the same object, regardless of codecs.
   */
  @Override
  public boolean equals(Object other) {
    return other instanceof ObjectQuery<?, ?> that
        && key.equals(that.key)
        && question.equals(that.question);
  }

  @Override
  public int hashCode() {
    return 31 * key.hashCode() + question.hashCode();
  }

  @Override
  public String toString() {
    return question + " of " + key;
  }
}
