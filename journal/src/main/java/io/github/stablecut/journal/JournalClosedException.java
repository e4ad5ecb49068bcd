package io.github.stablecut.journal;

import io.github.stablecut.error.ClosedException;

/** Thrown if a journal is used after it was closed. */
public final class JournalClosedException extends ClosedException {
  private static final long serialVersionUID = 1L;

  JournalClosedException(String message) {
    super(message);
  }
}
