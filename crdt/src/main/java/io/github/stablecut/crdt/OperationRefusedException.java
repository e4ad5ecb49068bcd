package io.github.stablecut.crdt;

import io.github.stablecut.error.UsageException;

/**
 * Thrown when a type's own rules forbid an operation in the state that the transaction sees.
 * Nothing has changed.
 */
public sealed class OperationRefusedException extends UsageException
    permits MissingRightsException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the rule, the present state, and what the operation needs
   */
  public OperationRefusedException(String message) {
    super(message);
  }
}
