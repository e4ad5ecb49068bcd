package io.github.stablecut.cluster.internal.network;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Server-sent events for one client. Confined to the thread that sends them. */
public interface HttpEvents extends AutoCloseable {
  /** Headers of the answer beside its type. */
  Map<String, String> headers();

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
