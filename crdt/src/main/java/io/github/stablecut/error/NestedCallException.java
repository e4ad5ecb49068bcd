package io.github.stablecut.error;

/**
 * Thrown if the condition of a conditional write calls the store, or an operation of an object uses
 * another object. Both may use only the values passed to them: other conditional writes wait for
 * the condition, and all readers must get the same result from the operation. Nothing was changed.
 */
public final class NestedCallException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public NestedCallException(String message) {
    super(message);
  }
}
