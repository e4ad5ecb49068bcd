package io.github.stablecut.journal;

import io.github.stablecut.error.ReopenException;

/** The journal is closed. */
public final class JournalClosedException extends ReopenException {
  private static final long serialVersionUID = 1L;

  JournalClosedException(String message) {
    super(message);
  }
}
