package io.github.stablecut.crdt.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The neighbours of a key are those of a {@link TreeMap}, also after removals. */
class PersistentMapNeighboursProperties {
  @Property(tries = 100)
  void findsTheNeighboursOfAnyKey(
      @ForAll @Size(min = 100, max = 400) List<@IntRange(max = 500) Integer> keys,
      @ForAll @IntRange(max = 500) int from,
      @ForAll @IntRange(max = 500) int to) {
    TreeMap<Integer, Integer> plain = new TreeMap<>();
    PersistentMap<Integer, Integer> map = PersistentMap.empty();
    for (int key : keys) {
      plain.put(key, -key);
      map = map.with(key, -key);
    }
    for (int key : new ArrayList<>(plain.keySet())) {
      if (from <= key && key <= to) {
        plain.remove(key);
        map = map.without(key);
      }
    }

    for (int key = -1; key <= 501; key++) {
      assertThat(map.floorEntry(key)).isEqualTo(plain.floorEntry(key));
      assertThat(map.lowerEntry(key)).isEqualTo(plain.lowerEntry(key));
      assertThat(map.higherEntry(key)).isEqualTo(plain.higherEntry(key));
    }
  }
}
