package io.github.stablecut.error;

/** A session was opened too long ago to be used. */
public final class SessionExpiredException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public SessionExpiredException(String message) {
    super(message);
  }
}
