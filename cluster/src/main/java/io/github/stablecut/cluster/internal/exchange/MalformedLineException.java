package io.github.stablecut.cluster.internal.exchange;

import io.github.stablecut.error.UsageException;

/** A line of an export is not as an export has it. */
public final class MalformedLineException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong with it
   */
  MalformedLineException(String message) {
    super(message);
  }
}
