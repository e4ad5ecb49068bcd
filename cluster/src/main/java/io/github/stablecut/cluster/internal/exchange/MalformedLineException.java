package io.github.stablecut.cluster.internal.exchange;

import io.github.stablecut.error.UsageException;
import java.util.Objects;

/** Thrown if a line of an export is malformed. */
public final class MalformedLineException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong with the line
   */
  MalformedLineException(String message) {
    super(message);
  }

  /** Returns the exception with its location before the message. */
  MalformedLineException in(String where) {
    return new MalformedLineException(where + ": " + Objects.requireNonNull(getMessage()));
  }
}
