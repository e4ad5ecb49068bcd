package io.github.stablecut.error;

/** Thrown for a token of a different store, or ahead of this store. */
public final class UnknownSnapshotException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public UnknownSnapshotException(String message) {
    super(message);
  }
}
