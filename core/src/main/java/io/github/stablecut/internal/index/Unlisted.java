package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.record.Commit;

/**
 * The summary of the effects on an object in an index that does not list them. Immutable.
 *
 * @param last at or above the commit vectors of all of them
 * @param snapshots at or below the snapshots of their transactions
 * @param dependencies at or above what their transactions depend on in data centres other than
 *     their own
 */
public record Unlisted(VectorClock last, VectorClock snapshots, VectorClock dependencies) {
  static Unlisted of(IndexedEffect effect) {
    Commit commit = effect.commit();
    return new Unlisted(commit.vector(), commit.snapshot(), dependencies(commit));
  }

  Unlisted with(IndexedEffect effect) {
    Commit commit = effect.commit();
    return new Unlisted(
        last.join(commit.vector()),
        snapshots.meet(commit.snapshot()),
        dependencies.join(dependencies(commit)));
  }

  private static VectorClock dependencies(Commit commit) {
    return commit.snapshot().with(commit.origin().dataCentre(), 0);
  }
}
