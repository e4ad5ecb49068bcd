package io.github.stablecut.cluster.internal.exchange;

import io.github.stablecut.error.UsageException;
import java.util.Objects;

/** A line of an export is not as an export has it. */
public final class MalformedLineException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong with it
   */
  MalformedLineException(String message) {
    super(message);
  }

  /** The same, with where it is before it. */
  MalformedLineException in(String where) {
    return new MalformedLineException(where + ": " + Objects.requireNonNull(getMessage()));
  }
}
