package io.github.stablecut.error;

/** Thrown if a directory contains something other than a store. Nothing was changed. */
public final class NotAStoreException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public NotAStoreException(String message) {
    super(message);
  }
}
