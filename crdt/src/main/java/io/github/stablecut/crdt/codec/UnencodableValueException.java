package io.github.stablecut.crdt.codec;

import io.github.stablecut.error.UsageException;

/** A value that its codec has no bytes for. Nothing was changed. */
public final class UnencodableValueException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong with the value, and what to do
   * @param cause what the library beneath said
   */
  public UnencodableValueException(String message, Throwable cause) {
    super(message, cause);
  }
}
