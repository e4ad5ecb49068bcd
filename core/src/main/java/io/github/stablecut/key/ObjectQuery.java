package io.github.stablecut.key;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.crdt.UnreadableValue;
import io.github.stablecut.error.LimitExceededException;
import java.util.Optional;
import java.util.function.Function;

/**
 * A question about an object. Keys make it, such as {@link SetKey#contains}. Immutable.
 *
 * @param <A> the answer as the type has it
 * @param <V> the answer as a reader sees it
 */
public final class ObjectQuery<A, V> implements Query<V> {
  private final Key<?> key;
  private final Question<A> question;
  private final Function<? super A, ? extends V> decoding;
  private final Function<? super V, ? extends A> encoding;

  /**
   * @param question about the object of the key
   * @param decoding what a reader sees of an answer
   * @param encoding the answer of which a reader sees that
   */
  static <A, V> ObjectQuery<A, V> of(
      Key<?> key,
      Question<A> question,
      Function<? super A, ? extends V> decoding,
      Function<? super V, ? extends A> encoding) {
    return new ObjectQuery<>(
        key, key.place().questionIn(key.ownType(), question), decoding, encoding);
  }

  /**
   * @param question about the stored object
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

  /** The same question, with its answers as they are. For implementations of {@code Store}. */
  public ObjectQuery<A, A> undecoded() {
    return new ObjectQuery<>(key, question, answer -> answer, answer -> answer);
  }

  /**
   * A question about a stored object, with its answers as they are. For implementations of {@code
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
   * @param id the object, for messages
   * @param state a state of the type
   * @throws LimitExceededException if it is a sum that a {@code long} can't hold
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

  /** Itself if its answers are numbers. */
  @SuppressWarnings("unchecked") // they are
  Optional<ObjectQuery<? extends Number, ?>> asNumber() {
    return question.isNumber()
        ? Optional.of((ObjectQuery<? extends Number, ?>) (ObjectQuery<?, ?>) this)
        : Optional.empty();
  }

  /** Itself if its answers are values that may be absent. */
  @SuppressWarnings("unchecked") // they are
  Optional<ObjectQuery<Optional<Bytes>, ?>> asOptional() {
    return question.isOptional()
        ? Optional.of((ObjectQuery<Optional<Bytes>, ?>) (ObjectQuery<?, ?>) this)
        : Optional.empty();
  }

  /** What a reader sees of an answer. */
  public V decode(A answer) {
    return decoding.apply(answer);
  }

  /** The answer of which a reader sees this. */
  A encode(V seen) {
    return encoding.apply(seen);
  }

  /** The part of the stored object on which an answer depends. */
  public Footprint footprint(A answer) {
    return question.footprint(answer);
  }

  /** Whether a transaction that certifies what it reads depends on the answer. */
  public boolean isCertified() {
    return question.isCertified();
  }

  @Override
  public V view(Object state, VectorClock snapshot) {
    return decode(answer(state, snapshot));
  }

  /** Equal are the same questions about the same object, whatever the codecs of its key. */
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
