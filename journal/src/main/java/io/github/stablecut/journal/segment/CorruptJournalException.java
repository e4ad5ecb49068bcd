package io.github.stablecut.journal.segment;

import io.github.stablecut.error.DamageException;

/**
 * Thrown if acknowledged records are damaged or missing. Nothing was changed; restore the segment
 * from a copy, or the directory from a backup.
 */
public final class CorruptJournalException extends DamageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the file, the offset, and what was expected and found there
   */
  public CorruptJournalException(String message) {
    super(message);
  }
}
