package io.github.stablecut.object;

import io.github.stablecut.error.UsageException;

/** An object was called in another data centre than its home. Nothing was changed. */
public final class WrongDataCentreException extends UsageException {
  private static final long serialVersionUID = 1L;

  WrongDataCentreException(String message) {
    super(message);
  }
}
