package io.github.stablecut.crdt;

import io.github.stablecut.error.DamageException;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that are not the encoding of what was asked for: damaged, cut short, of a newer format, or
 * never ours.
 */
public final class FormatException extends DamageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what was found, and what was expected
   */
  public FormatException(String message) {
    super(message);
  }

  /**
   * @param message what was found, and what was expected
   * @param cause what the library beneath said, or null
   */
  public FormatException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
