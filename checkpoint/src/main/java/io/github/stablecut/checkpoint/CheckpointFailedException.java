package io.github.stablecut.checkpoint;

import io.github.stablecut.error.ReopenException;
import org.jspecify.annotations.Nullable;

/**
 * The disk failed, or an error came, in the middle of the switch to a new manifest, so that nobody
 * knows which one counts; each is right. Reading goes on; nothing can be changed before the store
 * is reopened.
 */
public final class CheckpointFailedException extends ReopenException {
  private static final long serialVersionUID = 1L;

  CheckpointFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
