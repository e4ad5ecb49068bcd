package io.github.stablecut.cluster.internal.service;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Encodes the answers of one protocol. Thread-safe.
 *
 * @param <A> the type of answers
 */
interface Replies<A> {
  /** The error for an answer that exceeds the memory for unsent answers. */
  String UNTAKEN =
      "answers that clients have not taken fill the server's memory for them: try again, or raise large-request-memory, and -Xmx to four times as much";

  boolean isFailure(A answer);

  /** Returns a lower bound of the size of an answer's frame. */
  long minBytes(A answer);

  /** Encodes an answer to a frame. */
  List<ByteBuffer> frame(A answer);

  /** Returns the answer that replaces one that exceeds the memory ({@link #UNTAKEN}). */
  A untaken(A answer);

  /** Returns the answer that replaces one that {@link #frame} refused; empty to rethrow. */
  Optional<A> refused(A answer, RuntimeException why);

  /** Returns the answer after a failed send; empty if the connection is closed instead. */
  Optional<A> unsent(Throwable failure);

  /** Returns whether clients that wait for an answer get keep-alives. */
  boolean needsKeepAlive();
}
