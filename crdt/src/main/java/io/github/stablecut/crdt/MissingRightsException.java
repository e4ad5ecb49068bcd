package io.github.stablecut.crdt;

import io.github.stablecut.crdt.counter.BoundedCounter;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Thrown when a data centre lacks the rights for a decrement or transfer of a {@link
 * BoundedCounter}. Nothing has changed. If the store has requested rights from other data centres,
 * the message states it, and a retry may succeed a moment later.
 */
public final class MissingRightsException extends OperationRefusedException {
  private static final long serialVersionUID = 1L;

  private final long missing;
  private final TreeMap<Integer, Long> rights;

  /**
   * @param message the rights that exist, the rights that the operation needs, and what to do
   * @param missing the number of missing rights, above 0
   * @param rights the rights of each data centre, by its number
   */
  public MissingRightsException(String message, long missing, SortedMap<Integer, Long> rights) {
    super(message);
    this.missing = missing;
    this.rights = new TreeMap<>(rights);
  }

  /** The number of missing rights, above 0. */
  public long missing() {
    return missing;
  }

  /** The rights of each data centre, by its number, as the transaction saw them. */
  public SortedMap<Integer, Long> rights() {
    return Collections.unmodifiableSortedMap(rights);
  }
}
