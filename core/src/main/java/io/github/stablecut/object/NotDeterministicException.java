package io.github.stablecut.object;

import io.github.stablecut.error.UsageException;

/** Thrown if an operation of an object produced different states from the same arguments. */
public final class NotDeterministicException extends UsageException {
  private static final long serialVersionUID = 1L;

  NotDeterministicException(String message) {
    super(message);
  }
}
