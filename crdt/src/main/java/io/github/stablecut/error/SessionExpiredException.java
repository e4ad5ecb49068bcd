package io.github.stablecut.error;

/**
 * A session can't be used: it was opened too long ago, or a server does not recognize its name as
 * one that it has issued.
 */
public final class SessionExpiredException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public SessionExpiredException(String message) {
    super(message);
  }
}
