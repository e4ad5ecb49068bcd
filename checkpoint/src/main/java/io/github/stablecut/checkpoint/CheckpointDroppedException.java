package io.github.stablecut.checkpoint;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.RetryException;
import java.io.IOException;
import java.io.InterruptedIOException;

/**
 * Thrown if a run, a history file or a manifest change could not be written, because the disk is
 * full or failed. It was dropped and the store is unchanged; later attempts may succeed.
 */
public final class CheckpointDroppedException extends RetryException {
  private static final long serialVersionUID = 1L;

  private CheckpointDroppedException(String message, Throwable cause) {
    super(message, cause);
  }

  /** The caller cancelled the write. */
  public static CheckpointDroppedException cancelled() {
    return because(new InterruptedIOException("it was cancelled"));
  }

  static CheckpointDroppedException because(IOException cause) {
    return new CheckpointDroppedException(
        "a file of a checkpoint could not be written and was dropped: %s; remove the cause; then retry, or wait for the next checkpoint"
            .formatted(IoReason.of(cause)),
        cause);
  }
}
