package io.github.stablecut.cluster.internal.network;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Server-sent events, or another answer sent in parts, for one client. Confined to the sending
 * thread.
 */
public interface HttpEvents extends AutoCloseable {
  /** The content type of server-sent events. */
  String EVENTS = "text/event-stream; charset=utf-8";

  /** Returns further headers of the answer. */
  Map<String, String> headers();

  /** Returns the answer's content type. */
  default String contentType() {
    return EVENTS;
  }

  /** Returns what is sent on an idle stream, to detect vanished clients. */
  default byte[] heartbeat() {
    return HttpStream.HEARTBEAT_LINE;
  }

  /**
   * Returns the last part if the server stops before the end of the stream.
   *
   * @return lines of an event; empty to cut the answer off, so that it can't be taken for complete
   */
  default Optional<byte[]> farewell() {
    return Optional.of(
        HttpStream.failed("the server has stopped; resume after the last change (--after)"));
  }

  /** Returns whether everything was sent: then the answer is complete, otherwise cut off. */
  default boolean isComplete() {
    return false;
  }

  /**
   * Waits for the next part; called once the previous ones have been sent.
   *
   * @return lines of an event; empty if none is available yet
   * @throws RuntimeException if no further event will come
   */
  Optional<byte[]> next(Duration timeout) throws InterruptedException;

  /** Handles the end of the stream, such as a disconnected client. */
  @Override
  void close();
}
