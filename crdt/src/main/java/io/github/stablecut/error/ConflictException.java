package io.github.stablecut.error;

/**
 * A transaction that has to be certified met another one that committed after its snapshot. It has
 * no effect; begin it again, and it sees what the other one did.
 */
public final class ConflictException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public ConflictException(String message) {
    super(message);
  }
}
