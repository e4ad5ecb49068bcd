package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;

/**
 * The state of an object with all the effects, and only those, that a snapshot sees. Immutable.
 *
 * <p>The same state is seen by every snapshot from {@code since} to {@code at}; a later one sees it
 * too if no effect has come in between.
 *
 * @param type the object's type
 * @param since at or above the commit vectors of all effects that are in the state
 * @param at the snapshot vector that the state is complete at
 * @param state a state of the type
 */
public record Version(CrdtType<?, ?, ?, ?> type, VectorClock since, VectorClock at, Object state) {
  /**
   * Whether all that is in the state is visible at a snapshot, so that only what is missing has to
   * be added.
   */
  public boolean canServe(VectorClock snapshot) {
    return since.isAtOrBefore(snapshot);
  }
}
