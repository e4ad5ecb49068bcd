package io.github.stablecut.crdt.internal.state;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Creates unmodifiable lists. Optimized for one element, since nearly all operations have one. */
public final class Lists {
  private Lists() {}

  /** Applies a function to each element. */
  public static <T, R> List<R> map(List<T> list, Function<? super T, ? extends R> function) {
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
