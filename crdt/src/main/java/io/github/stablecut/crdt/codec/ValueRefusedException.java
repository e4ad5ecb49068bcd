package io.github.stablecut.crdt.codec;

import io.github.stablecut.error.UsageException;
import org.jspecify.annotations.Nullable;

/** Thrown for a value that a codec can't encode, or a class that it doesn't support. */
public final class ValueRefusedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what the value is, why it is refused, and what to do
   */
  public ValueRefusedException(String message) {
    super(message);
  }

  /**
   * @param message what the value is, why it is refused, and what to do
   * @param cause the exception of the underlying library, or null
   */
  public ValueRefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
