package io.github.stablecut.checkpoint;

import io.github.stablecut.error.ReopenException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if the disk failed, or an error occurred, during the switch to a new manifest. It is
 * unknown which manifest is current; both are valid. Reads still work, but the store can't be
 * changed before it is reopened.
 */
public final class CheckpointFailedException extends ReopenException {
  private static final long serialVersionUID = 1L;

  CheckpointFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
