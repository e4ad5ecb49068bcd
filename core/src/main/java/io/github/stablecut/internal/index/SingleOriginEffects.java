package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.record.Commit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The effects of one data centre. A longer list shares the arrays of the shorter one, whose readers
 * stay within its length.
 */
final class SingleOriginEffects extends EffectList {
  static final SingleOriginEffects EMPTY =
      new SingleOriginEffects(new IndexedEffect[0], null, 0, VectorClock.ZERO);

  private final IndexedEffect[] effects;

  /**
   * For each effect, the least vector at which it and all earlier ones are visible. Null if that is
   * always the commit vector. It is not where concurrent transactions have snapshots that include
   * less of another data centre than an earlier one's.
   */
  private final VectorClock @Nullable [] joins;

  private final int size;

  /** The least vector at which all effects are visible. */
  private final VectorClock join;

  private SingleOriginEffects(
      IndexedEffect[] effects, VectorClock @Nullable [] joins, int size, VectorClock join) {
    this.effects = effects;
    this.joins = joins;
    this.size = size;
    this.join = join;
  }

  /**
   * Creates a list of effects in commit order.
   *
   * @param effects may be longer than the list
   */
  private static SingleOriginEffects of(IndexedEffect[] effects, int size) {
    VectorClock[] joins = new VectorClock[effects.length];
    VectorClock join = VectorClock.ZERO;
    boolean isChain = true;
    for (int i = 0; i < size; i++) {
      VectorClock vector = effects[i].commit().vector();
      isChain &= join.isAtOrBefore(vector);
      join = join.isAtOrBefore(vector) ? vector : join.join(vector);
      joins[i] = join;
    }
    return new SingleOriginEffects(effects, isChain ? null : joins, size, join);
  }

  /** The data centre; there is at least one effect. */
  int dataCentre() {
    return effects[0].commit().origin().dataCentre();
  }

  @Override
  EffectList with(IndexedEffect effect) {
    if (size == 0) {
      return effect;
    }
    return effect.commit().origin().dataCentre() == dataCentre()
        ? withOwn(effect)
        : MultiOriginEffects.of(this, effect);
  }

  /** Returns this list with one more effect of the same data centre. */
  SingleOriginEffects withOwn(IndexedEffect effect) {
    if (size > 0 && isAfter(effects[size - 1], effect)) {
      return withEarlier(effect);
    }
    VectorClock vector = effect.commit().vector();
    boolean isChained = join.isAtOrBefore(vector);
    VectorClock newJoin = isChained ? vector : join.join(vector);
    boolean hasCapacity = size < effects.length;
    int length = hasCapacity ? effects.length : size + 1 + (size >> 1);
    IndexedEffect[] extended = hasCapacity ? effects : Arrays.copyOf(effects, length);
    extended[size] = effect;
    VectorClock[] newJoins = joins;
    if (newJoins == null && !isChained) {
      newJoins = new VectorClock[length];
      for (int i = 0; i < size; i++) {
        newJoins[i] = effects[i].commit().vector();
      }
    }
    if (newJoins != null) {
      newJoins = newJoins.length < length ? Arrays.copyOf(newJoins, length) : newJoins;
      newJoins[size] = newJoin;
    }
    return new SingleOriginEffects(extended, newJoins, size + 1, newJoin);
  }

  /**
   * Returns this list with an effect inserted: a transaction that another partition decided may
   * have an earlier commit time than existing effects.
   */
  private SingleOriginEffects withEarlier(IndexedEffect effect) {
    int index = size;
    while (index > 0 && isAfter(effects[index - 1], effect)) {
      index--;
    }
    IndexedEffect[] longer = new IndexedEffect[size + 1 + (size >> 1)];
    System.arraycopy(effects, 0, longer, 0, index);
    longer[index] = effect;
    System.arraycopy(effects, index, longer, index + 1, size - index);
    return of(longer, size + 1);
  }

  @Override
  SingleOriginEffects after(VectorClock vector) {
    if (isAllAtOrBefore(vector)) {
      return EMPTY;
    }
    List<IndexedEffect> rest = notIn(vector);
    if (rest.size() == size) {
      return this;
    }
    IndexedEffect[] remaining = rest.toArray(IndexedEffect[]::new);
    return joins == null
        ? new SingleOriginEffects(remaining, null, remaining.length, join)
        : of(remaining, remaining.length);
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public boolean isAllAtOrBefore(VectorClock vector) {
    return join.isAtOrBefore(vector);
  }

  @Override
  boolean isAwaited(VectorClock durable, VectorClock snapshot) {
    for (int i = firstAfter(durable); i < size; i++) {
      Commit commit = effects[i].commit();
      if (commit.position() == Commit.NOWHERE && commit.isVisibleAt(snapshot)) {
        return true;
      }
    }
    return false;
  }

  @Override
  boolean isAwaited(VectorClock durable) {
    for (int i = firstAfter(durable); i < size; i++) {
      if (effects[i].commit().position() == Commit.NOWHERE) {
        return true;
      }
    }
    return false;
  }

  @Override
  boolean isAnyDurable() {
    for (int i = 0; i < size; i++) {
      if (effects[i].commit().position() != Commit.NOWHERE) {
        return true;
      }
    }
    return false;
  }

  @Override
  public VectorClock join() {
    return join;
  }

  @Override
  boolean isAllVisible(VectorClock snapshot, int dataCentre) {
    return size == 0 || dataCentre != dataCentre() || isAllAtOrBefore(snapshot);
  }

  @Override
  public List<IndexedEffect> between(VectorClock base, VectorClock snapshot) {
    int from = firstAfter(base);
    int to = firstAfter(snapshot);
    if (joins == null) {
      return from < to ? Arrays.asList(effects).subList(from, to) : List.of();
    }
    List<IndexedEffect> found = new ArrayList<>();
    for (int i = from; i < size; i++) {
      Commit commit = effects[i].commit();
      if ((i < to || commit.isVisibleAt(snapshot)) && !commit.isVisibleAt(base)) {
        found.add(effects[i]);
      }
    }
    return found;
  }

  @Override
  int countAfter(VectorClock vector) {
    return size - firstAfter(vector);
  }

  @Override
  public List<IndexedEffect> notIn(VectorClock vector) {
    int from = firstAfter(vector);
    if (joins == null) {
      return from < size ? Arrays.asList(effects).subList(from, size) : List.of();
    }
    List<IndexedEffect> found = new ArrayList<>();
    for (int i = from; i < size; i++) {
      if (!effects[i].commit().isVisibleAt(vector)) {
        found.add(effects[i]);
      }
    }
    return found;
  }

  @Override
  boolean isEach(Predicate<IndexedEffect> condition) {
    for (int i = 0; i < size; i++) {
      if (!condition.test(effects[i])) {
        return false;
      }
    }
    return true;
  }

  /** The index of the first effect such that it, or one before it, is not at or before a vector. */
  private int firstAfter(VectorClock vector) {
    if (isAllAtOrBefore(vector)) {
      return size;
    }
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      VectorClock upTo = joins == null ? effects[middle].commit().vector() : joins[middle];
      if (upTo.isAtOrBefore(vector)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
