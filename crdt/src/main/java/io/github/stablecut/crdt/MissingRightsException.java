package io.github.stablecut.crdt;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A data centre lacks the rights to take as much from a {@link BoundedCounter}. Nothing was
 * changed. If other data centres were asked for some of theirs, the message says so, and the same
 * call may succeed a moment later.
 */
public final class MissingRightsException extends OperationRefusedException {
  private static final long serialVersionUID = 1L;

  private final long missing;
  private final TreeMap<Integer, Long> rights;

  /**
   * @param message what is there, what the operation needs, and what to do
   * @param missing how many rights more would be enough, above 0
   * @param rights how much each data centre may take away, by its number
   */
  public MissingRightsException(String message, long missing, SortedMap<Integer, Long> rights) {
    super(message);
    this.missing = missing;
    this.rights = new TreeMap<>(rights);
  }

  /** How many rights more would have been enough, above 0. */
  public long missing() {
    return missing;
  }

  /** How much each data centre may take away, by its number, as the transaction saw it. */
  public SortedMap<Integer, Long> rights() {
    return Collections.unmodifiableSortedMap(rights);
  }
}
