package io.github.stablecut.journal;

/** Is told what was found in a log that is read ({@link ClosedJournal#read}). */
public interface JournalFindings {
  /** Something acknowledged is damaged or missing. */
  void damaged(CorruptJournalException damage);

  /**
   * The log ends in what a crash has left, which was never acknowledged.
   *
   * @param message says where, and what it is
   */
  void torn(String message);
}
