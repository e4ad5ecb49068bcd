package io.github.stablecut.journal;

/** Is told what was found in a log that is read ({@link ClosedJournal#read}). */
public interface JournalReadListener {
  /** Something acknowledged is damaged or missing. */
  void damaged(CorruptJournalException damage);

  /**
   * The log ends in what a crash has left.
   *
   * @param message says where, and what it is
   * @param mayBeDamage whether it may have been acknowledged, and damaged since; false if it can
   *     only be a write that the crash has interrupted
   */
  void torn(String message, boolean mayBeDamage);
}
