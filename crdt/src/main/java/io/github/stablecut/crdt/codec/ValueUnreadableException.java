package io.github.stablecut.crdt.codec;

import io.github.stablecut.error.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * A value that a codec can't decode, since it was written with another one. The store is well: what
 * is damaged on disk is found by checksums, before a codec sees it.
 */
public final class ValueUnreadableException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which object has the value, why it can't be decoded, and what to do
   * @param cause what the codec said, or null
   */
  public ValueUnreadableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
