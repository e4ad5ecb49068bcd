package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;

/**
 * The summary of the effects on an object in an index that does not list them. Immutable.
 *
 * @param last at or above the commit vectors of all of them
 * @param snapshots at or below the snapshots of their transactions
 */
public record Unlisted(VectorClock last, VectorClock snapshots) {
  static Unlisted of(IndexedEffect effect) {
    return new Unlisted(effect.commit().vector(), effect.commit().snapshot());
  }

  Unlisted with(IndexedEffect effect) {
    return new Unlisted(
        last.join(effect.commit().vector()), snapshots.meet(effect.commit().snapshot()));
  }
}
