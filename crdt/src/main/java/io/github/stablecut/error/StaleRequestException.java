package io.github.stablecut.error;

/** A session has committed a later request than the one that was sent. */
public final class StaleRequestException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public StaleRequestException(String message) {
    super(message);
  }
}
