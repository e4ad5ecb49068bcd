package io.github.stablecut.cluster;

import io.github.stablecut.error.UsageException;
import org.jspecify.annotations.Nullable;

/** Thrown if a server's settings are invalid or contradict each other. Nothing was started. */
public final class SettingsException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the setting, what is wrong with it, and what to do
   */
  public SettingsException(String message) {
    super(message);
  }

  /**
   * @param message the setting, what is wrong with it, and what to do
   * @param cause the caught exception, or null
   */
  public SettingsException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
