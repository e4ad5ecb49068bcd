package io.github.stablecut.checkpoint;

import io.github.stablecut.error.DamageException;

/** Thrown if a newer version of this program wrote a file of a checkpoint store. */
public final class CheckpointVersionException extends DamageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the file, its version, and the newest version that this program reads
   */
  public CheckpointVersionException(String message) {
    super(message);
  }
}
