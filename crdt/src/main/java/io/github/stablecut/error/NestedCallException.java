package io.github.stablecut.error;

/**
 * The condition of a conditional write has called the store: it must decide by the values that it
 * is given, because other conditional writes wait for it. Nothing was changed.
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
