package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;

/**
 * The place and the time of the commit of an effect's transaction. Immutable.
 *
 * @param dataCentre the number of the data centre, or {@link Dot#SELF} while the transaction is
 *     open
 * @param commitTime its commit time, or {@link Long#MAX_VALUE} while the transaction is open
 * @param pruneFrontier the frontier at which the state behind the effect was pruned. The origin had
 *     discarded the events at or below it, so the effect cannot list them; it has observed all of
 *     them
 */
public record EffectOrigin(int dataCentre, long commitTime, VectorClock pruneFrontier) {
  /**
   * The origin of an open transaction's effects, which were made from a state pruned at a frontier.
   */
  public static EffectOrigin uncommitted(VectorClock pruneFrontier) {
    return new EffectOrigin(Dot.SELF, Long.MAX_VALUE, pruneFrontier);
  }

  /**
   * Replaces a self dot of the effect's transaction with its committed dot; returns other dots
   * unchanged.
   */
  public Dot resolve(Dot dot) {
    return dot.resolve(dataCentre, commitTime);
  }

  /**
   * Whether the origin had pruned an event, so that the transaction observed it although the effect
   * doesn't list it. Exact, because every event at or below the frontier is in the transaction's
   * past.
   */
  public boolean hadPruned(Dot dot) {
    return dot.isAtOrBefore(pruneFrontier);
  }
}
