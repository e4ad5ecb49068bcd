package io.github.stablecut.checkpoint.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.checkpoint.testing.LossyDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Compares the sorter with a list sorted in memory. */
class SlotSorterProperties {
  record Slot(long hash, long location) {}

  @Property(tries = 200)
  void sortsByUnsignedHashAndIsStable(
      @ForAll("hashes") List<Long> hashes, @ForAll @IntRange(min = 1, max = 40) int partSlots)
      throws IOException {
    List<Slot> slots = new ArrayList<>();
    LossyDirectory directory = new LossyDirectory();
    WriteLimits limits = new WriteLimits(1 << 20, 0, WriteLimits.Pace.FULL_SPEED);
    List<Slot> sorted = new ArrayList<>();

    try (SlotSorter sorter = new SlotSorter(directory, "run-1.sort", limits, partSlots)) {
      for (long hash : hashes) {
        Slot slot = new Slot(hash, slots.size());
        slots.add(slot);
        sorter.add(slot.hash, slot.location);
      }
      sorter.forEach((hash, location) -> sorted.add(new Slot(hash, location)));
      List<Slot> again = new ArrayList<>();
      sorter.forEach((hash, location) -> again.add(new Slot(hash, location)));
      assertThat(again).isEqualTo(sorted);
    }

    slots.sort((left, right) -> Long.compareUnsigned(left.hash, right.hash));
    assertThat(sorted).isEqualTo(slots);
    assertThat(directory.list()).isEmpty();
  }

  @Provide
  Arbitrary<List<Long>> hashes() {
    Arbitrary<Long> few = Arbitraries.of(0L, 1L, -1L, Long.MIN_VALUE, Long.MAX_VALUE);
    return Arbitraries.oneOf(Arbitraries.longs(), few).list().ofMaxSize(300);
  }

  @Property(tries = 20)
  void growsWithTheNumberOfSlots(@ForAll @IntRange(min = 900, max = 5_000) int count)
      throws IOException {
    LossyDirectory directory = new LossyDirectory();
    WriteLimits limits = new WriteLimits(1 << 20, 0, WriteLimits.Pace.FULL_SPEED);
    List<Long> sorted = new ArrayList<>();

    try (SlotSorter sorter =
        new SlotSorter(directory, "run-1.sort", limits, SlotSorter.PART_SLOTS)) {
      for (int i = 0; i < count; i++) {
        sorter.add(i * 0x9E3779B97F4A7C15L, i);
      }
      sorter.forEach((hash, location) -> sorted.add(hash));
    }

    assertThat(sorted).hasSize(count).isSortedAccordingTo(Long::compareUnsigned);
    assertThat(directory.operations()).isZero();
  }
}
