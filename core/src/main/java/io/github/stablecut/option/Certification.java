package io.github.stablecut.option;

import io.github.stablecut.error.ConflictException;
import io.github.stablecut.key.Query;

/**
 * The concurrent commits that make a transaction fail, in addition to the rules of types: an
 * operation that takes rights of a bounded counter is always certified.
 *
 * <p>A certified transaction is aborted if any other transaction, certified or not, wrote what it
 * certifies between its snapshot and its commit. While a certified transaction commits across
 * several partitions, an uncertified writer of what it certifies waits for its outcome, for at most
 * {@link Timeouts#commit}, and is ordered after it; a writer that certifies anything waits as well,
 * or receives a {@link ConflictException}.
 *
 * <p>An uncertified transaction reads a snapshot, and commits regardless of later writes. For
 * transactions to be serializable among each other, all of them must be certified.
 */
public enum Certification {
  /**
   * No certification: transactions are causally consistent and atomic, and concurrent ones all
   * commit.
   */
  NONE,

  /**
   * The transaction fails if another one changed what it read of an object before updating that
   * object. So no update is lost because a new value was computed without it. Updates of objects
   * that were not read before, such as blind increments and additions, never conflict.
   */
  READ_THEN_UPDATED,

  /**
   * The transaction fails if another one wrote an object that it writes: snapshot isolation in the
   * data centre (first committer wins).
   */
  WRITES,

  /**
   * The transaction fails if another one changed what it read or updated: its reads are still valid
   * at its commit time. Transactions that all use this are serializable in the data centre. Appends
   * to a stream depend on nothing, so a stream that is only appended to is not certified.
   *
   * <p>In sets, counter maps and maps of objects, certification covers the parts that a {@link
   * Query} read, and the updated elements, counters or objects. In other objects, and those that
   * were read by their keys, it covers the whole object. In case of doubt, the whole object counts
   * as changed.
   */
  READS_WRITES
}
