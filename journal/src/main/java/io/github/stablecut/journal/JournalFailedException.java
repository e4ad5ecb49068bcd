package io.github.stablecut.journal;

import io.github.stablecut.error.ReopenException;

/**
 * A write or a sync failed, so nobody knows what is on the disk. Nothing more is committed; reading
 * goes on. Reopen after the cause is removed.
 */
public final class JournalFailedException extends ReopenException {
  private static final long serialVersionUID = 1L;

  private final String text;

  JournalFailedException(String message, Throwable cause) {
    super(message, cause);
    this.text = message;
  }

  /** The same failure with the stack of another caller. */
  JournalFailedException again() {
    return new JournalFailedException(text, this);
  }
}
