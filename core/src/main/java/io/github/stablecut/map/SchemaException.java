package io.github.stablecut.map;

import io.github.stablecut.error.UsageException;

/**
 * Thrown if a namespace, table, column or index is missing, exists already, or does not allow what
 * the call requests. Nothing changed.
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
