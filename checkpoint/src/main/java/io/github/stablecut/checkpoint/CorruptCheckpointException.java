package io.github.stablecut.checkpoint;

import io.github.stablecut.error.DamageException;

/**
 * A file of a checkpoint store is damaged or missing. Nothing was changed: restore it from a copy,
 * or the directory from a backup.
 */
public final class CorruptCheckpointException extends DamageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which file at which offset, what was found, and what to do
   */
  public CorruptCheckpointException(String message) {
    super(message);
  }

  /**
   * @param message which object, what was found, and what to do
   * @param cause what was caught
   */
  public CorruptCheckpointException(String message, Throwable cause) {
    super(message, cause);
  }
}
