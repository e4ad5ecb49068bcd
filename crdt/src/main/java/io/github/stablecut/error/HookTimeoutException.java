package io.github.stablecut.error;

/** Thrown if a pre-commit hook took too long. The transaction is aborted; nothing changed. */
public final class HookTimeoutException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public HookTimeoutException(String message) {
    super(message);
  }
}
