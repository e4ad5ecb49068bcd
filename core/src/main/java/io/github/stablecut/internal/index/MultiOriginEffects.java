package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The effects of several data centres, with one list per data centre. Effects of a data centre are
 * appended to its list, wherever they are in the order of all effects.
 */
final class MultiOriginEffects extends EffectList {
  /** The lists; none is empty, and each has a different data centre. */
  private final SingleOriginEffects[] lists;

  private MultiOriginEffects(SingleOriginEffects... lists) {
    this.lists = lists;
  }

  /** Creates a list from effects of one data centre and one effect of another. */
  static MultiOriginEffects of(SingleOriginEffects first, IndexedEffect second) {
    return new MultiOriginEffects(first, SingleOriginEffects.EMPTY.withOwn(second));
  }

  @Override
  EffectList with(IndexedEffect effect) {
    int dataCentre = effect.commit().origin().dataCentre();
    int index = 0;
    while (index < lists.length && lists[index].dataCentre() != dataCentre) {
      index++;
    }
    SingleOriginEffects before = index < lists.length ? lists[index] : SingleOriginEffects.EMPTY;
    SingleOriginEffects[] changed = Arrays.copyOf(lists, Math.max(lists.length, index + 1));
    changed[index] = before.withOwn(effect);
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

  /** Returns some effects of each list, merged in commit order. */
  private List<IndexedEffect> merged(Function<SingleOriginEffects, List<IndexedEffect>> some) {
    List<IndexedEffect> all = new ArrayList<>();
    for (SingleOriginEffects list : lists) {
      all.addAll(some.apply(list));
    }
    all.sort(ORDER);
    return all;
  }
}
