package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.error.UsageException;

/** Thrown if a message exceeds the size that its sender may send. */
public final class TooLargeException extends UsageException {
  private static final long serialVersionUID = 1L;

  TooLargeException(long maxBytes) {
    super(
        "the message would have more than %,d bytes: read fewer objects at once"
            .formatted(maxBytes));
  }
}
