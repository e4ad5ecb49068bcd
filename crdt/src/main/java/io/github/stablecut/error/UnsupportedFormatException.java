package io.github.stablecut.error;

/** Thrown if a store was written by a newer version of this program. Nothing was changed. */
public final class UnsupportedFormatException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public UnsupportedFormatException(String message) {
    super(message);
  }
}
