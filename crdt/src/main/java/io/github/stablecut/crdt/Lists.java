package io.github.stablecut.crdt;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Lists that can't be changed. Nearly all operations are on one thing, and cost as little. */
final class Lists {
  private Lists() {}

  /** What a function makes of each element. */
  static <T, R> List<R> map(List<T> list, Function<? super T, ? extends R> function) {
    if (list.size() == 1) {
      return List.of(function.apply(list.get(0)));
    }
    List<R> mapped = new ArrayList<>(list.size());
    for (T element : list) {
      mapped.add(function.apply(element));
    }
    return List.copyOf(mapped);
  }
}
