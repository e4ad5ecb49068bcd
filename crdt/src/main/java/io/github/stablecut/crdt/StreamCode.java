package io.github.stablecut.crdt;

/**
 * Code of users that makes an answer of a stream, such as an operation of an object. It must depend
 * on nothing but the stream and the argument. Immutable.
 *
 * @param <R> the answers; immutable
 */
public interface StreamCode<R> {
  /**
   * The answer.
   *
   * @param argument as it was sent
   */
  R answer(StreamValue stream, Bytes argument);

  /** Whether a transaction that certifies what it reads depends on the answer. */
  default boolean isCertified() {
    return true;
  }

  /** The bytes of answers. */
  AnswerForm<R> form();
}
