package io.github.stablecut.internal.record;

/**
 * A request of a session: what is executed once, however often it is sent.
 *
 * @param session the session
 * @param number 1 for its first request, then ascending
 * @param updates of what it executes, which is the same each time that it is sent
 */
public record RequestId(SessionName session, long number, Digest updates) {
  /** What may be executed once, whatever it executes. */
  public record Numbered(SessionName session, long number) {}

  /** The request without what it executes. */
  public Numbered numbered() {
    return new Numbered(session, number);
  }

  @Override
  public String toString() {
    return "request " + number + " of session " + session;
  }
}
