package io.github.stablecut.error;

/** Thrown if a session can't be used: it is too old, or the server did not issue its name. */
public final class SessionExpiredException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public SessionExpiredException(String message) {
    super(message);
  }
}
