package io.github.stablecut.error;

/**
 * Thrown if certification found a conflicting transaction that committed after this one's snapshot.
 * The transaction has no effect; a new one sees the other's changes.
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
