package io.github.stablecut.error;

/** A store can't be a data centre of a group as it was asked to. Nothing was changed. */
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
   * @param cause why
   */
  public ReplicationRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
