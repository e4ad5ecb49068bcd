package io.github.stablecut.map;

import io.github.stablecut.error.UsageException;

/**
 * A namespace, table, column or index is not there, or is there already, or can't be what the call
 * asks for. Nothing was changed.
 */
public final class SchemaException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public SchemaException(String message) {
    super(message);
  }
}
