package io.github.stablecut.error;

/**
 * The condition of a conditional write has called the store, or an operation of an object has used
 * an object: each must decide by the values that it is given, the first because other conditional
 * writes wait for it, the second because all readers must come to the same. Nothing was changed.
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
