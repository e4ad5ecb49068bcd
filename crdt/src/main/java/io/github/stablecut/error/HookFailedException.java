package io.github.stablecut.error;

/**
 * Thrown if a pre-commit hook has refused an update, or failed. The transaction is aborted; nothing
 * changed.
 */
public final class HookFailedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the exception that the hook threw
   */
  public HookFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
