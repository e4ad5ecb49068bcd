package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.internal.record.Commit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The effects on one object in commit order. A list is immutable; a longer list shares the array of
 * the shorter one, whose readers stay within their own length. Lists are extended under the commit
 * lock.
 */
public final class EffectList {
  static final EffectList EMPTY = new EffectList(new IndexedEffect[1], 0, VectorClock.ZERO, 0);

  private final IndexedEffect[] effects;
  private final int size;

  /** The commit time of the last effect, so that an append need not look it up. */
  private final long lastTime;

  /**
   * The commit vector of the last effect, if every commit vector is at or after those before it:
   * then a snapshot sees a prefix of the list. Null if some are concurrent, which takes several
   * data centres.
   */
  private final @Nullable VectorClock greatest;

  private EffectList(
      IndexedEffect[] effects, int size, @Nullable VectorClock greatest, long lastTime) {
    this.effects = effects;
    this.size = size;
    this.greatest = greatest;
    this.lastTime = lastTime;
  }

  /** This list with one more effect. Only for the longest list of an array. */
  EffectList with(IndexedEffect effect) {
    VectorClock vector = effect.commit().vector();
    long time = effect.commit().time();
    if (lastTime >= time && isAfter(effects[size - 1], effect)) {
      return withEarlier(effect);
    }
    IndexedEffect[] room =
        size < effects.length && this != EMPTY
            ? effects
            : Arrays.copyOf(effects, size + 1 + (size >> 1));
    room[size] = effect;
    boolean isChain = greatest != null && greatest.isAtOrBefore(vector);
    return new EffectList(room, size + 1, isChain ? vector : null, time);
  }

  /** Whether an effect is after another one in commit order: by time, then by data centre. */
  private static boolean isAfter(IndexedEffect effect, IndexedEffect other) {
    EffectOrigin origin = effect.commit().origin();
    EffectOrigin otherOrigin = other.commit().origin();
    return origin.commitTime() == otherOrigin.commitTime()
        ? origin.dataCentre() > otherOrigin.dataCentre()
        : origin.commitTime() > otherOrigin.commitTime();
  }

  /**
   * This list with one more effect inserted: a transaction that another partition decided may have
   * an earlier commit time than later local commits.
   */
  private EffectList withEarlier(IndexedEffect effect) {
    int place = size;
    while (place > 0 && isAfter(effects[place - 1], effect)) {
      place--;
    }
    IndexedEffect[] longer = new IndexedEffect[size + 1 + (size >> 1)];
    System.arraycopy(effects, 0, longer, 0, place);
    longer[place] = effect;
    System.arraycopy(effects, place, longer, place + 1, size - place);
    boolean isChain =
        greatest != null
            && (place == 0 || isOrdered(longer[place - 1], effect))
            && isOrdered(effect, longer[place + 1]);
    return new EffectList(longer, size + 1, isChain ? greatest : null, lastTime);
  }

  private static boolean isOrdered(IndexedEffect earlier, IndexedEffect later) {
    return earlier.commit().vector().isAtOrBefore(later.commit().vector());
  }

  /** The effects that are not at or before a vector, as a list. */
  EffectList after(VectorClock vector) {
    if (isAllAtOrBefore(vector)) {
      return EMPTY;
    }
    if (greatest != null) {
      int from = firstAfter(vector);
      return from == 0
          ? this
          : new EffectList(
              Arrays.copyOfRange(effects, from, size), size - from, greatest, lastTime);
    }
    EffectList rest = EMPTY;
    for (IndexedEffect effect : notIn(vector)) {
      rest = rest.with(effect);
    }
    return rest.size == size ? this : rest;
  }

  /** Whether there are no effects. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** The number of effects. */
  public int size() {
    return size;
  }

  /** Whether a version complete at a vector includes all effects of this list. */
  public boolean isAllAtOrBefore(VectorClock vector) {
    if (greatest != null) {
      return greatest.isAtOrBefore(vector);
    }
    for (int i = size - 1; i >= 0; i--) {
      if (!effects[i].commit().isVisibleAt(vector)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether a snapshot sees an effect that is not durable yet.
   *
   * @param durable a vector at or below which all effects are durable
   */
  boolean isAwaited(VectorClock durable, VectorClock snapshot) {
    for (int i = firstAfter(durable); i < size; i++) {
      Commit commit = effects[i].commit();
      if (commit.position() == Commit.NOWHERE && commit.isVisibleAt(snapshot)) {
        return true;
      }
    }
    return false;
  }

  /** As {@link #isAwaited(VectorClock, VectorClock)}, for any snapshot. */
  boolean isAwaited(VectorClock durable) {
    for (int i = firstAfter(durable); i < size; i++) {
      if (effects[i].commit().position() == Commit.NOWHERE) {
        return true;
      }
    }
    return false;
  }

  /** Whether any of these effects is durable. */
  boolean isAnyDurable() {
    for (int i = 0; i < size; i++) {
      if (effects[i].commit().position() != Commit.NOWHERE) {
        return true;
      }
    }
    return false;
  }

  /**
   * The least vector at which all effects are visible. Each added effect changes it, wherever in
   * the order its place is.
   */
  public VectorClock join() {
    VectorClock all = greatest;
    if (all == null) {
      all = VectorClock.ZERO;
      for (int i = 0; i < size; i++) {
        all = all.join(effects[i].commit().vector());
      }
    }
    return all;
  }

  /** Whether a snapshot sees all effects of a data centre. */
  boolean isAllVisible(VectorClock snapshot, int dataCentre) {
    if (isAllAtOrBefore(snapshot)) {
      return true;
    }
    for (int i = firstAfter(snapshot); i < size; i++) {
      Commit commit = effects[i].commit();
      if (commit.origin().dataCentre() == dataCentre && !commit.isVisibleAt(snapshot)) {
        return false;
      }
    }
    return true;
  }

  /**
   * The effects that a snapshot sees and a version complete at {@code base} lacks, in commit order.
   */
  public List<IndexedEffect> between(VectorClock base, VectorClock snapshot) {
    if (greatest != null) {
      return range(firstAfter(base), firstAfter(snapshot));
    }
    List<IndexedEffect> found = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      IndexedEffect effect = effects[i];
      if (effect.commit().isVisibleAt(snapshot) && !effect.commit().isVisibleAt(base)) {
        found.add(effect);
      }
    }
    return found;
  }

  /**
   * An upper bound of the number of effects not at or before a vector; exact if no commit vectors
   * are concurrent.
   */
  int countAfter(VectorClock vector) {
    return size - firstAfter(vector);
  }

  /** The effects that are not at or before a vector. */
  public List<IndexedEffect> notIn(VectorClock vector) {
    if (greatest != null) {
      return range(firstAfter(vector), size);
    }
    List<IndexedEffect> found = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      if (!effects[i].commit().isVisibleAt(vector)) {
        found.add(effects[i]);
      }
    }
    return found;
  }

  /** Whether something holds for each effect. */
  boolean isEach(Predicate<IndexedEffect> condition) {
    for (int i = 0; i < size; i++) {
      if (!condition.test(effects[i])) {
        return false;
      }
    }
    return true;
  }

  /** The effects from an index up to another, exclusive. */
  private List<IndexedEffect> range(int from, int to) {
    return from < to ? Arrays.asList(effects).subList(from, to) : List.of();
  }

  /** An index before which all effects are included in the base. */
  private int firstAfter(VectorClock base) {
    if (greatest == null) {
      return 0;
    }
    if (isAllAtOrBefore(base)) {
      return size;
    }
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (effects[middle].commit().isVisibleAt(base)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
