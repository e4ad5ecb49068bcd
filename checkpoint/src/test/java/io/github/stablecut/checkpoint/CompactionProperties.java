package io.github.stablecut.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.internal.Compaction;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Which runs are merged. The K of the n-th run is n; its number of bytes is what is given. */
class CompactionProperties {
  private static List<ManifestFile> runs(List<Integer> bytes) {
    List<ManifestFile> runs = new ArrayList<>();
    for (int size : bytes) {
      long number = runs.size() + 1L;
      runs.add(new ManifestFile(Layout.run(number), VectorClock.of(number), size, 0));
    }
    return runs;
  }

  /** The bytes of the runs after one merge. */
  private static List<Long> merged(List<Integer> bytes, int low, int maxYoungRuns) {
    List<ManifestFile> runs = runs(bytes);
    List<ManifestFile> chosen = Compaction.choose(runs, VectorClock.of(low), maxYoungRuns);
    List<Long> sizes = new ArrayList<>();
    for (ManifestFile run : runs) {
      if (!chosen.contains(run)) {
        sizes.add(run.bytes());
      } else if (run.equals(chosen.get(0))) {
        sizes.add(chosen.stream().mapToLong(ManifestFile::bytes).sum());
      }
    }
    return sizes;
  }

  @Example
  void leavesFewSmallRunsAlone() {
    assertThat(merged(List.of(), 0, 3)).isEmpty();
    assertThat(merged(List.of(100), 1, 3)).containsExactly(100L);
    assertThat(merged(List.of(100, 20, 20, 10), 4, 3)).containsExactly(100L, 20L, 20L, 10L);
  }

  @Example
  void rewritesTheBaseWhenTheYoungRunsHaveMoreThanHalfOfItsBytes() {
    assertThat(merged(List.of(100, 20, 30), 3, 3)).containsExactly(100L, 20L, 30L);
    assertThat(merged(List.of(100, 20, 31), 3, 3)).containsExactly(151L);
  }

  @Example
  void mergesTheNewestRunsOfAboutASize() {
    assertThat(merged(List.of(1000, 100, 2, 1, 1, 1), 6, 3)).containsExactly(1000L, 100L, 5L);
    assertThat(merged(List.of(1000, 100, 50, 20, 10), 5, 3)).containsExactly(1000L, 100L, 50L, 30L);
  }

  @Example
  void mergesAboveTheLowWatermarkAsTheDocumentSays() {
    assertThat(merged(List.of(100, 30, 20, 4, 2, 2, 1), 2, 3)).containsExactly(100L, 30L, 20L, 9L);
  }

  @Example
  void leavesTheRunAloneThatTheLowWatermarkGoesToNext() {
    assertThat(merged(List.of(1, 1, 1, 1, 1), 0, 3)).containsExactly(1L, 4L);
    assertThat(merged(List.of(1, 1, 1, 1), 0, 3)).containsExactly(1L, 1L, 1L, 1L);
  }

  @Property
  void mergesNeighboursOnOneSideUntilAllIsWell(
      @ForAll @Size(max = 30) List<@IntRange(min = 1, max = 1000) Integer> bytes,
      @ForAll @IntRange(max = 30) int low,
      @ForAll @IntRange(min = 1, max = 8) int maxYoungRuns) {
    VectorClock lowWatermark = VectorClock.of(Math.min(low, bytes.size()));
    List<ManifestFile> runs = runs(bytes);
    VectorClock next = firstAbove(runs, lowWatermark);

    List<ManifestFile> chosen = Compaction.choose(runs, lowWatermark, maxYoungRuns);
    while (!chosen.isEmpty()) {
      assertThat(chosen).hasSizeGreaterThan(1);
      int first = runs.indexOf(chosen.get(0));
      assertThat(runs.subList(first, first + chosen.size())).isEqualTo(chosen);
      assertThat(ManifestChange.splits(lowWatermark, chosen)).isFalse();
      ManifestFile last = chosen.get(chosen.size() - 1);
      long sum = chosen.stream().mapToLong(ManifestFile::bytes).sum();
      runs.removeAll(chosen);
      runs.add(first, new ManifestFile(last.name(), last.at(), sum, 0));
      chosen = Compaction.choose(runs, lowWatermark, maxYoungRuns);
    }

    assertThat(runs.size()).isLessThanOrEqualTo(2 * (maxYoungRuns + 1));
    assertThat(firstAbove(runs, lowWatermark)).isEqualTo(next);
  }

  private static VectorClock firstAbove(List<ManifestFile> runs, VectorClock lowWatermark) {
    return runs.stream()
        .map(ManifestFile::at)
        .filter(at -> !at.isAtOrBefore(lowWatermark))
        .findFirst()
        .orElse(VectorClock.ZERO);
  }
}
