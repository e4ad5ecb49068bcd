package io.github.stablecut.journal;

import io.github.stablecut.error.ClosedException;

/** The journal is closed. */
public final class JournalClosedException extends ClosedException {
  private static final long serialVersionUID = 1L;

  JournalClosedException(String message) {
    super(message);
  }
}
