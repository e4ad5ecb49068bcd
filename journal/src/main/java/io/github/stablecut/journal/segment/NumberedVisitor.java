package io.github.stablecut.journal.segment;

/** Visits numbered records of a log in order. */
@FunctionalInterface
public interface NumberedVisitor {
  /**
   * Visits a record.
   *
   * @param number the record's number in its log
   * @return whether to continue with the next record
   */
  boolean accept(long number, StoredRecord record);
}
