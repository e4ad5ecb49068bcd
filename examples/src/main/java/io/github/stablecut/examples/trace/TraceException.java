package io.github.stablecut.examples.trace;

import io.github.stablecut.error.UsageException;
import org.jspecify.annotations.Nullable;

/** Thrown if a file is no editing trace, or its edits are inconsistent: obtain an intact copy. */
public final class TraceException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message where, what was found, and what was expected
   */
  TraceException(String message) {
    super(message);
  }

  /**
   * @param message where, what was found, and what was expected
   * @param cause the parser's exception, or null
   */
  TraceException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
