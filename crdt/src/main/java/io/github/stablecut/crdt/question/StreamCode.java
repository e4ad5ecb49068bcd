package io.github.stablecut.crdt.question;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.stream.StreamValue;

/**
 * User code that computes an answer from a stream, such as an operation of a user-defined type. It
 * must be a pure function of the stream and the argument. Immutable.
 *
 * @param <R> the type of the answers; immutable
 */
public interface StreamCode<R> {
  /**
   * Computes the answer.
   *
   * @param argument the encoded argument of the question
   */
  R answer(StreamValue stream, Bytes argument);

  /** Whether a transaction that certifies what it reads depends on the answer. */
  default boolean isCertified() {
    return true;
  }

  /** The encoding of the answers. */
  AnswerForm<R> form();
}
