package io.github.stablecut.journal;

import io.github.stablecut.error.DamageException;

/** Thrown if a newer version of this program wrote the journal. */
public final class JournalVersionException extends DamageException {
  private static final long serialVersionUID = 1L;

  /** For the journal and its segments only. */
  public JournalVersionException(String message) {
    super(message);
  }
}
