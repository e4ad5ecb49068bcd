package io.github.stablecut.cluster.internal.service;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * How the answers of one protocol are sent. Thread-safe.
 *
 * @param <A> an answer
 */
interface Replies<A> {
  /** What clients are told while they take nothing. */
  String UNTAKEN =
      "clients have not taken the answers that fill the memory that the server allows them: try again, or raise large-request-memory, and -Xmx to four times as much";

  boolean isFailure(A answer);

  /** How long the frame of an answer is, at least. */
  long minBytes(A answer);

  /** The frame of an answer. */
  List<ByteBuffer> frame(A answer);

  /** What is answered instead of what has no room ({@link #UNTAKEN}). */
  A untaken(A answer);

  /** What is answered instead of what {@link #frame} has refused; empty if it had failed. */
  Optional<A> refused(A answer, RuntimeException why);

  /** What is answered if an answer could not be sent; empty if the connection is closed instead. */
  Optional<A> unsent(Throwable failure);

  /** Whether clients are told that the server is still at it, while they wait for an answer. */
  boolean saysAlive();
}
