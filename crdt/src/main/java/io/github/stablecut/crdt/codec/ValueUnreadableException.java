package io.github.stablecut.crdt.codec;

import io.github.stablecut.error.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for a value that a codec can't decode, because another codec wrote it. The store is not
 * damaged: checksums detect damage on disk before a codec reads the value.
 */
public final class ValueUnreadableException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which object has the value, why it can't be decoded, and what to do
   * @param cause the exception of the codec, or null
   */
  public ValueUnreadableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
