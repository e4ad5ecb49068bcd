package io.github.stablecut.object;

import io.github.stablecut.error.UsageException;

/** Thrown if an object was called in a data centre other than its home. Nothing changed. */
public final class WrongDataCentreException extends UsageException {
  private static final long serialVersionUID = 1L;

  WrongDataCentreException(String message) {
    super(message);
  }
}
