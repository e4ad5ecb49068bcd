package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.record.Commit;

/**
 * The summary of the effects on an object in an index that does not list them. Immutable.
 *
 * @param last at or above the commit vectors of all effects
 * @param origins the greatest commit time of each data centre: if these commits are durable, all
 *     effects are
 * @param snapshots at or below the snapshots of their transactions
 * @param dependencies at or above the transactions' dependencies on data centres other than their
 *     own
 */
public record EffectSummary(
    VectorClock last, VectorClock origins, VectorClock snapshots, VectorClock dependencies) {
  static EffectSummary of(IndexedEffect effect) {
    Commit commit = effect.commit();
    return new EffectSummary(
        commit.vector(), origin(commit), commit.snapshot(), dependencies(commit));
  }

  EffectSummary with(IndexedEffect effect) {
    Commit commit = effect.commit();
    return new EffectSummary(
        last.join(commit.vector()),
        origins.join(origin(commit)),
        snapshots.meet(commit.snapshot()),
        dependencies.join(dependencies(commit)));
  }

  /**
   * Whether all effects are durable, regardless of their dependencies.
   *
   * @param durable a vector at or below which all effects are durable
   */
  public boolean areDurable(VectorClock durable) {
    return origins.isAtOrBefore(durable);
  }

  private static VectorClock origin(Commit commit) {
    return VectorClock.ZERO.with(commit.origin().dataCentre(), commit.time());
  }

  private static VectorClock dependencies(Commit commit) {
    return commit.snapshot().with(commit.origin().dataCentre(), 0);
  }
}
