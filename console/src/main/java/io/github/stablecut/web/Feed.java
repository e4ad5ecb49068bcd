package io.github.stablecut.web;

import java.time.Duration;
import java.util.Optional;

/**
 * What one subscriber of server-sent events is told. The subscriber asks for the next event when
 * the one before is written, so a slow one is told less often, and nothing is queued for it.
 * Confined to the subscriber's thread.
 */
public interface Feed extends AutoCloseable {
  /**
   * Waits for the next event.
   *
   * @param longest how long to wait at most
   * @return a record, map or list that becomes JSON; empty if there is nothing new
   * @throws WebException if there will be no further event
   */
  Optional<Object> next(Duration longest) throws InterruptedException;

  /** The subscriber has gone. */
  @Override
  void close();
}
