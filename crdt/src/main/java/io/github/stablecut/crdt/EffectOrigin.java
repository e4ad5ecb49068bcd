package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;

/**
 * Where and when the transaction of an effect was committed. Immutable.
 *
 * @param dataCentre the number of the data centre, or {@link Dot#SELF} while the transaction is
 *     open
 * @param commitTime its commit time, or {@link Long#MAX_VALUE} while the transaction is open
 * @param pruneFrontier the frontier at which the state that the effect was made from had been
 *     pruned: the effect can't name events at or below it, because its origin had forgotten them,
 *     and means them all
 */
public record EffectOrigin(int dataCentre, long commitTime, VectorClock pruneFrontier) {
  /**
   * The origin of effects of a transaction that is still open, made from a state pruned at a
   * frontier.
   */
  public static EffectOrigin uncommitted(VectorClock pruneFrontier) {
    return new EffectOrigin(Dot.SELF, Long.MAX_VALUE, pruneFrontier);
  }

  /** The dot itself, or for a self dot of the effect's own transaction the event it has become. */
  public Dot resolve(Dot dot) {
    return dot.resolve(dataCentre, commitTime);
  }

  /**
   * Whether the effect's transaction had observed an event though the effect doesn't list it: its
   * origin had pruned it. Exact, because every event at or below the frontier is in the
   * transaction's past.
   */
  public boolean hadPruned(Dot dot) {
    return dot.isAtOrBefore(pruneFrontier);
  }
}
