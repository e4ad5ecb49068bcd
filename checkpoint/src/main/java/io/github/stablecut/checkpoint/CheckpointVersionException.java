package io.github.stablecut.checkpoint;

import io.github.stablecut.error.DamageException;

/** A file of a checkpoint store was written by a newer version of this program. */
public final class CheckpointVersionException extends DamageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which file, which version, and what this program reads
   */
  public CheckpointVersionException(String message) {
    super(message);
  }
}
