package io.github.stablecut.checkpoint;

import io.github.stablecut.error.DamageException;

/**
 * Thrown if a file of a checkpoint store is damaged or missing. Nothing was changed; restore the
 * file from a copy, or the directory from a backup.
 */
public final class CorruptCheckpointException extends DamageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the file, the offset, what was found there, and what to do
   */
  public CorruptCheckpointException(String message) {
    super(message);
  }

  /**
   * @param message the object, what was found, and what to do
   * @param cause the original exception
   */
  public CorruptCheckpointException(String message, Throwable cause) {
    super(message, cause);
  }
}
