package io.github.stablecut.error;

/** An object was used with another type than its first update gave it. Nothing was changed. */
public final class TypeMismatchException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public TypeMismatchException(String message) {
    super(message);
  }
}
