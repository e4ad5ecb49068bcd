package io.github.stablecut.option;

import io.github.stablecut.error.ConflictException;
import io.github.stablecut.key.Query;

/**
 * Which later commits make a transaction fail, in addition to the rules of types themselves: an
 * operation that takes rights of a bounded counter is always certified.
 *
 * <p>The others need not be certified for that: a certified transaction is aborted if any
 * transaction wrote what it certifies between its snapshot and its commit. While one is being
 * committed over several partitions, an uncertified writer of what it certifies waits for its
 * outcome, at most for {@link Timeouts#commit}, and is ordered after it; a certified one gets
 * {@link ConflictException}. An uncertified transaction itself reads a snapshot and commits
 * whatever was written since: transactions that are to be serialisable among each other must all be
 * certified.
 */
public enum Certification {
  /** Nothing: transactions are causally consistent and atomic, and concurrent ones both commit. */
  NONE,

  /**
   * None changed what this one had read of an object before it updated that: no update is lost that
   * a value was computed without. Updates of objects that were not read before, such as blind
   * increments and additions, never conflict.
   */
  READ_THEN_UPDATED,

  /**
   * None wrote an object that this one writes: snapshot isolation in the data centre (the first
   * committer wins).
   */
  WRITES,

  /**
   * None changed what this one has read or updated: what it has read is still true at its commit
   * time. Transactions that all demand it are serialisable in the data centre.
   *
   * <p>Of a set, a counter map or a map of objects, this is the part that a {@link Query} has asked
   * for, and the elements, counters or objects that were updated; of another object, or one that
   * was read by its key, it is the whole object. In doubt a whole object counts as changed.
   */
  READS_WRITES
}
