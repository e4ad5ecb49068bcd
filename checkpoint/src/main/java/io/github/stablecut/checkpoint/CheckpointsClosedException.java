package io.github.stablecut.checkpoint;

import io.github.stablecut.error.ClosedException;

/** Thrown if a checkpoint store is used after it was closed. */
public final class CheckpointsClosedException extends ClosedException {
  private static final long serialVersionUID = 1L;

  CheckpointsClosedException(String message) {
    super(message);
  }
}
