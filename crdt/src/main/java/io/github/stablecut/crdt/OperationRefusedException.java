package io.github.stablecut.crdt;

import io.github.stablecut.error.UsageException;

/**
 * An operation that a type's own rules forbid in the state the transaction sees. Nothing was
 * changed.
 */
public sealed class OperationRefusedException extends UsageException
    permits MissingRightsException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which rule, what is there, and what the operation needs
   */
  public OperationRefusedException(String message) {
    super(message);
  }
}
