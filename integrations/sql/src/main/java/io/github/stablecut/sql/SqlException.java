package io.github.stablecut.sql;

import io.github.stablecut.error.UsageException;

/** Thrown for a query that can't be answered. */
public final class SqlException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  SqlException(String message) {
    super(message);
  }

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the cause
   */
  SqlException(String message, Throwable cause) {
    super(message, cause);
  }
}
