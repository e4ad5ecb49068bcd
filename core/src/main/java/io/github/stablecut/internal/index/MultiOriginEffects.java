package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The effects of several data centres, each in a list of its own: what comes from one of them is
 * added at the end of its list, wherever in the order of all its place is.
 */
final class MultiOriginEffects extends EffectList {
  /** None is empty; each is of another data centre. */
  private final SingleOriginEffects[] lists;

  private MultiOriginEffects(SingleOriginEffects... lists) {
    this.lists = lists;
  }

  /** Some effects of one data centre, and one of another one. */
  static MultiOriginEffects of(SingleOriginEffects first, IndexedEffect second) {
    return new MultiOriginEffects(first, SingleOriginEffects.EMPTY.withOwn(second));
  }

  @Override
  EffectList with(IndexedEffect effect) {
    int dataCentre = effect.commit().origin().dataCentre();
    int place = 0;
    while (place < lists.length && lists[place].dataCentre() != dataCentre) {
      place++;
    }
    SingleOriginEffects before = place < lists.length ? lists[place] : SingleOriginEffects.EMPTY;
    SingleOriginEffects[] changed = Arrays.copyOf(lists, Math.max(lists.length, place + 1));
    changed[place] = before.withOwn(effect);
    return new MultiOriginEffects(changed);
  }

  @Override
  EffectList after(VectorClock vector) {
    SingleOriginEffects[] rest =
        Arrays.stream(lists)
            .map(list -> list.after(vector))
            .filter(list -> !list.isEmpty())
            .toArray(SingleOriginEffects[]::new);
    return switch (rest.length) {
      case 0 -> SingleOriginEffects.EMPTY;
      case 1 -> rest[0];
      default -> new MultiOriginEffects(rest);
    };
  }

  @Override
  public int size() {
    int size = 0;
    for (SingleOriginEffects list : lists) {
      size += list.size();
    }
    return size;
  }

  @Override
  public boolean isAllAtOrBefore(VectorClock vector) {
    return isEachList(list -> list.isAllAtOrBefore(vector));
  }

  @Override
  boolean isAwaited(VectorClock durable, VectorClock snapshot) {
    return !isEachList(list -> !list.isAwaited(durable, snapshot));
  }

  @Override
  boolean isAwaited(VectorClock durable) {
    return !isEachList(list -> !list.isAwaited(durable));
  }

  @Override
  boolean isAnyDurable() {
    return !isEachList(list -> !list.isAnyDurable());
  }

  @Override
  public VectorClock join() {
    VectorClock join = VectorClock.ZERO;
    for (SingleOriginEffects list : lists) {
      join = join.join(list.join());
    }
    return join;
  }

  @Override
  boolean isAllVisible(VectorClock snapshot, int dataCentre) {
    return isEachList(list -> list.isAllVisible(snapshot, dataCentre));
  }

  @Override
  public List<IndexedEffect> between(VectorClock base, VectorClock snapshot) {
    return merged(list -> list.between(base, snapshot));
  }

  @Override
  int countAfter(VectorClock vector) {
    int count = 0;
    for (SingleOriginEffects list : lists) {
      count += list.countAfter(vector);
    }
    return count;
  }

  @Override
  public List<IndexedEffect> notIn(VectorClock vector) {
    return merged(list -> list.notIn(vector));
  }

  @Override
  boolean isEach(Predicate<IndexedEffect> condition) {
    return isEachList(list -> list.isEach(condition));
  }

  private boolean isEachList(Predicate<SingleOriginEffects> condition) {
    for (SingleOriginEffects list : lists) {
      if (!condition.test(list)) {
        return false;
      }
    }
    return true;
  }

  /** Some effects of each list, in commit order. */
  private List<IndexedEffect> merged(Function<SingleOriginEffects, List<IndexedEffect>> some) {
    List<IndexedEffect> all = new ArrayList<>();
    for (SingleOriginEffects list : lists) {
      all.addAll(some.apply(list));
    }
    all.sort(ORDER);
    return all;
  }
}
