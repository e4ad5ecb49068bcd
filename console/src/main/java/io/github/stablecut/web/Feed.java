package io.github.stablecut.web;

import java.time.Duration;
import java.util.Optional;

/**
 * The events for one subscriber of server-sent events. The subscriber requests the next event once
 * the previous one is written, so a slow one receives fewer events and nothing is queued. Confined
 * to the subscriber's thread.
 */
public interface Feed extends AutoCloseable {
  /**
   * Waits for the next event.
   *
   * @param longest the maximum wait
   * @return a record, map or list that becomes JSON; empty if there is nothing new
   * @throws WebException if no further event follows
   */
  Optional<Object> next(Duration longest) throws InterruptedException;

  /** Called when the subscriber has disconnected. */
  @Override
  void close();
}
