package io.github.stablecut.journal;

/** Reads a log in order. */
@FunctionalInterface
public interface NumberedVisitor {
  /**
   * Is shown a record.
   *
   * @param number the record's number in its log
   * @return whether the next one is wanted
   */
  boolean accept(long number, StoredRecord record);
}
