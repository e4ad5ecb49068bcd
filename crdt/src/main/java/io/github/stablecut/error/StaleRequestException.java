package io.github.stablecut.error;

/** Thrown if a session has already committed a later request than the one sent. */
public final class StaleRequestException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public StaleRequestException(String message) {
    super(message);
  }
}
