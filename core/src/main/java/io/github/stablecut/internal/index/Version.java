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
 * @param bytes what the state takes encoded, about
 */
public record Version(
    CrdtType<?, ?, ?, ?> type, VectorClock since, VectorClock at, Object state, int bytes) {
  /** The version of an object that nothing was done to. */
  public static Version initial(CrdtType<?, ?, ?, ?> type) {
    return new Version(type, VectorClock.ZERO, VectorClock.ZERO, type.initial(), 0);
  }

  /**
   * Whether all that is in the state is visible at a snapshot, so that only what is missing has to
   * be added.
   */
  public boolean canServe(VectorClock snapshot) {
    return since.isAtOrBefore(snapshot);
  }

  /**
   * The same version for snapshots up to a later vector, between which and {@code at} there is no
   * effect.
   */
  Version completeAt(VectorClock later) {
    return new Version(type, since, at.join(later), state, bytes);
  }
}
