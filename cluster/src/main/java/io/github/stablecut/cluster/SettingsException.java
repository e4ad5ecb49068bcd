package io.github.stablecut.cluster;

import io.github.stablecut.error.UsageException;
import org.jspecify.annotations.Nullable;

/** A server's settings are wrong, or don't go together. Nothing was started. */
public final class SettingsException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which setting, what is wrong with it, and what to do
   */
  public SettingsException(String message) {
    super(message);
  }

  /**
   * @param message which setting, what is wrong with it, and what to do
   * @param cause what was caught, or null
   */
  public SettingsException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
