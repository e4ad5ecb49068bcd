package io.github.stablecut.crdt;

import io.github.stablecut.error.DamageException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for bytes that are not a valid encoding of what the caller reads: damaged, truncated, in a
 * newer format, or of another origin.
 */
public final class FormatException extends DamageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the bytes found, and what was expected
   */
  public FormatException(String message) {
    super(message);
  }

  /**
   * @param message the bytes found, and what was expected
   * @param cause the exception of the underlying library, or null
   */
  public FormatException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
