package io.github.stablecut.internal.record;

/**
 * A request of a session, executed once however often it is sent.
 *
 * @param session the session
 * @param number 1 for its first request, then ascending
 * @param updates the digest of its updates, the same each time that it is sent
 */
public record RequestId(SessionName session, long number, Digest updates) {
  /** A request's identity, without its updates. */
  public record RequestNumber(SessionName session, long number) {}

  /** The request's identity, without its updates. */
  public RequestNumber numbered() {
    return new RequestNumber(session, number);
  }

  @Override
  public String toString() {
    return "request " + number + " of session " + session;
  }
}
