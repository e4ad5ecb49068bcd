package io.github.stablecut.checkpoint;

import io.github.stablecut.error.ClosedException;

/** The checkpoint store is closed. */
public final class CheckpointsClosedException extends ClosedException {
  private static final long serialVersionUID = 1L;

  CheckpointsClosedException(String message) {
    super(message);
  }
}
