package io.github.stablecut;

/**
 * What a transaction demands of those that committed after its snapshot, beside what types demand
 * themselves: an operation that takes rights of a bounded counter is always certified.
 */
public enum Certification {
  /** Nothing: transactions are causally consistent and atomic, and concurrent ones both commit. */
  NONE,

  /**
   * None wrote an object that this one writes: snapshot isolation in the data centre (the first
   * committer wins).
   */
  WRITES,

  /** None wrote an object that this one reads or writes: serialisable in the data centre. */
  READS_WRITES
}
