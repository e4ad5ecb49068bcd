package io.github.stablecut.error;

/**
 * Thrown if a store can't join or serve a group of data centres as requested. Nothing was changed.
 */
public final class ReplicationRefusedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public ReplicationRefusedException(String message) {
    super(message);
  }

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the underlying exception
   */
  public ReplicationRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
