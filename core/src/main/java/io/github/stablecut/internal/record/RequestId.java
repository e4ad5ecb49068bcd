package io.github.stablecut.internal.record;

import java.util.UUID;

/**
 * A request of a session: what is executed once, however often it is sent.
 *
 * @param session the session
 * @param number 1 for its first request, then ascending
 */
public record RequestId(UUID session, long number) {
  @Override
  public String toString() {
    return "request " + number + " of session " + session;
  }
}
