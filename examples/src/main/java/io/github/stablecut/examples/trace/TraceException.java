package io.github.stablecut.examples.trace;

import io.github.stablecut.error.UsageException;
import org.jspecify.annotations.Nullable;

/** A file that is no editing trace, or one whose edits make no sense: get a sound copy. */
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
   * @param cause what the library beneath said, or null
   */
  TraceException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
