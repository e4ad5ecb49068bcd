package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * The effects on one object in commit order: by time, then by data centre. Lists are immutable and
 * are extended under the commit lock. A single effect, which is what most objects have between two
 * checkpoints, is its own list.
 */
public abstract sealed class EffectList
    permits IndexedEffect, SingleOriginEffects, MultiOriginEffects {
  /** The commit order, in which effects of one transaction are equal. */
  public static final Comparator<IndexedEffect> ORDER = EffectList::compare;

  /** No effects. */
  static EffectList empty() {
    return SingleOriginEffects.EMPTY;
  }

  private static int compare(IndexedEffect effect, IndexedEffect other) {
    EffectOrigin origin = effect.commit().origin();
    EffectOrigin otherOrigin = other.commit().origin();
    int byTime = Long.compare(origin.commitTime(), otherOrigin.commitTime());
    return byTime == 0 ? Integer.compare(origin.dataCentre(), otherOrigin.dataCentre()) : byTime;
  }

  /** Whether an effect is after another one in commit order. */
  static boolean isAfter(IndexedEffect effect, IndexedEffect other) {
    return compare(effect, other) > 0;
  }

  /** Returns this list with one more effect. Only the longest list may be extended. */
  abstract EffectList with(IndexedEffect effect);

  /** Returns the effects that are not at or before a vector, as a list. */
  abstract EffectList after(VectorClock vector);

  /** Whether there are no effects. */
  public boolean isEmpty() {
    return size() == 0;
  }

  /** The number of effects. */
  public abstract int size();

  /** Whether a version complete at a vector includes all effects of this list. */
  public abstract boolean isAllAtOrBefore(VectorClock vector);

  /**
   * Whether a snapshot sees an effect that is not durable yet.
   *
   * @param durable a vector at or below which all effects are durable
   */
  abstract boolean isAwaited(VectorClock durable, VectorClock snapshot);

  /** Like {@link #isAwaited(VectorClock, VectorClock)}, for any snapshot. */
  abstract boolean isAwaited(VectorClock durable);

  /** Whether any of these effects is durable. */
  abstract boolean isAnyDurable();

  /**
   * The least vector at which all effects are visible. Each added effect changes it, wherever it is
   * in the order.
   */
  public abstract VectorClock join();

  /** Whether a snapshot sees all effects of a data centre. */
  abstract boolean isAllVisible(VectorClock snapshot, int dataCentre);

  /**
   * The effects that a snapshot sees and a version complete at {@code base} lacks, in commit order.
   */
  public abstract List<IndexedEffect> between(VectorClock base, VectorClock snapshot);

  /**
   * An upper bound of the number of effects not at or before a vector; exact if no commit vectors
   * are concurrent.
   */
  abstract int countAfter(VectorClock vector);

  /** The effects that are not at or before a vector. */
  public abstract List<IndexedEffect> notIn(VectorClock vector);

  /** Whether a condition holds for each effect. */
  abstract boolean isEach(Predicate<IndexedEffect> condition);
}
