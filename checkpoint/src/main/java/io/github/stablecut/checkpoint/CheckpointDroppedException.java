package io.github.stablecut.checkpoint;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.RetryException;
import java.io.IOException;
import java.io.InterruptedIOException;

/**
 * A run, a history file or a change of the manifest could not be written, for want of space or
 * because the disk failed. It was dropped, and the store is as it was before; later ones may
 * succeed.
 */
public final class CheckpointDroppedException extends RetryException {
  private static final long serialVersionUID = 1L;

  private CheckpointDroppedException(String message, Throwable cause) {
    super(message, cause);
  }

  /** What was being written is not wanted any more. */
  public static CheckpointDroppedException unwanted() {
    return because(new InterruptedIOException("it is not wanted any more"));
  }

  static CheckpointDroppedException because(IOException cause) {
    return new CheckpointDroppedException(
        "a file of a checkpoint could not be written and was dropped: %s; remove the cause, and make it again, or wait for the next"
            .formatted(IoReason.of(cause)),
        cause);
  }
}
