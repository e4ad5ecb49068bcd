package io.github.stablecut.journal;

import io.github.stablecut.error.DamageException;

/** The journal was written by a newer version of this program. */
public final class JournalVersionException extends DamageException {
  private static final long serialVersionUID = 1L;

  JournalVersionException(String message) {
    super(message);
  }
}
