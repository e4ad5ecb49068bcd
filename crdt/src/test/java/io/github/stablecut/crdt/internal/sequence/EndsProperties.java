package io.github.stablecut.crdt.internal.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

final class EndsProperties {
  @Property(tries = 500)
  void findTheSlotThatALinearSearchFinds(
      @ForAll @Size(max = 40) List<@IntRange(max = 5) Integer> sizes,
      @ForAll @Size(max = 40) List<@IntRange(max = 5) Integer> added,
      @ForAll @IntRange(max = 40) int from,
      @ForAll @IntRange(max = 40) int count) {
    int slot = Math.min(from, sizes.size());
    int removed = Math.min(count, sizes.size() - slot);
    List<Integer> changed = new ArrayList<>(sizes);
    changed.subList(slot, slot + removed).clear();
    changed.addAll(slot, added);

    int[] ends =
        Ends.with(Ends.of(sizes.size(), sizes::get), slot, removed, added.size(), added::get);

    int place = 0;
    for (int i = 0; i < changed.size(); i++) {
      assertThat(Ends.before(ends, i)).isEqualTo(place);
      for (int end = place + changed.get(i); place < end; place++) {
        assertThat(Ends.slotOf(ends, place)).isEqualTo(i);
      }
    }
    assertThat(Ends.total(ends)).isEqualTo(place);
  }
}
