package io.github.stablecut.error;

/**
 * Thrown if an object is used with a different type than that of its first update. Nothing was
 * changed.
 */
public final class TypeMismatchException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public TypeMismatchException(String message) {
    super(message);
  }
}
