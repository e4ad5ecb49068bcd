package io.github.stablecut.cluster.internal.network;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Server-sent events, or another answer that comes bit by bit, for one client. Confined to the
 * thread that sends them.
 */
public interface HttpEvents extends AutoCloseable {
  /** The type of server-sent events. */
  String EVENTS = "text/event-stream; charset=utf-8";

  /** Headers of the answer beside its type. */
  Map<String, String> headers();

  /** What the answer is. */
  default String contentType() {
    return EVENTS;
  }

  /** What is sent when there is nothing else, so that a client that has gone is noticed. */
  default byte[] heartbeat() {
    return HttpStream.HEARTBEAT_LINE;
  }

  /**
   * What is sent at last when the server ends before all was sent.
   *
   * @return lines of an event; empty if the answer has to be cut off, as one that has to be whole
   */
  default Optional<byte[]> farewell() {
    return Optional.of(
        HttpStream.failed("the server has ended; go on after the last change (--after)"));
  }

  /** Whether all was sent: the answer is complete then, and otherwise cut off. */
  default boolean isComplete() {
    return false;
  }

  /**
   * Waits for what is to be sent next, which is asked for when all before is sent.
   *
   * @return lines of an event; empty if there is none yet
   * @throws RuntimeException if there will be no further event
   */
  Optional<byte[]> next(Duration longest) throws InterruptedException;

  /** The client has gone. */
  @Override
  void close();
}
