package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Compares written objects with a map of the JDK. */
final class WrittenObjectsProperties {
  private final WrittenObjects<Integer> written = new WrittenObjects<>();
  private final Map<Bytes, Integer> expected = new LinkedHashMap<>();

  @Property
  void isAMapInTheOrderOfTheFirstWrites(
      @ForAll @Size(max = 12) List<@IntRange(min = -3, max = 5) Integer> steps) {
    for (int i = 0; i < steps.size(); i++) {
      int step = steps.get(i);
      Bytes id = Bytes.utf8("" + Math.abs(step) % 4);
      if (step < 0) {
        written.remove(id);
        expected.remove(id);
      } else {
        assertThat(written.put(id, i)).isEqualTo(expected.put(id, i));
      }
      check();
    }
  }

  private void check() {
    List<Map.Entry<Bytes, Integer>> visited = new ArrayList<>();
    written.forEach((id, value) -> visited.add(Map.entry(id, value)));
    assertThat(visited).containsExactlyElementsOf(expected.entrySet());
    assertThat(written.ids()).containsExactlyElementsOf(expected.keySet());
    assertThat(written.isEmpty()).isEqualTo(expected.isEmpty());
    for (int i = 0; i < 4; i++) {
      Bytes id = Bytes.utf8("" + i);
      assertThat(written.get(id)).isEqualTo(expected.get(id));
    }
    Bytes only = written.onlyId();
    assertThat(only == null || List.of(only).equals(List.copyOf(expected.keySet()))).isTrue();
  }
}
