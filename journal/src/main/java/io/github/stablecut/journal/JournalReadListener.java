package io.github.stablecut.journal;

import io.github.stablecut.journal.segment.CorruptJournalException;

/** Receives the findings of {@link ClosedJournal#read}. */
public interface JournalReadListener {
  /** Reports that acknowledged data is damaged or missing. */
  void damaged(CorruptJournalException damage);

  /**
   * The log ends in the remains of a crash.
   *
   * @param message where they are, and what they look like
   * @param mayBeDamage whether they may be acknowledged records that were damaged since; false if
   *     they can only be a write that the crash interrupted
   */
  void torn(String message, boolean mayBeDamage);
}
