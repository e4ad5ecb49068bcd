package io.github.stablecut.error;

/** A token is another store's, or ahead of this one. */
public final class UnknownSnapshotException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public UnknownSnapshotException(String message) {
    super(message);
  }
}
