package io.github.stablecut.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.internal.Compaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The choice of runs to merge. The n-th run has K = n and the given number of bytes. */
class CompactionProperties {
  private static final long NOON = Instant.parse("2026-11-20T12:00:00Z").toEpochMilli();

  private static List<ManifestFile> runs(List<Integer> bytes) {
    List<ManifestFile> runs = new ArrayList<>();
    for (int size : bytes) {
      long number = runs.size() + 1L;
      runs.add(new ManifestFile(CheckpointFiles.run(number), VectorClock.of(number), size, 0));
    }
    return runs;
  }

  /** The bytes of the runs after one merge. */
  private static List<Long> merged(List<Integer> bytes, int low, int maxYoungRuns) {
    List<ManifestFile> runs = runs(bytes);
    List<ManifestFile> chosen = Compaction.choose(runs, VectorClock.of(low), maxYoungRuns, 0);
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
  void keepsAFewSmallRuns() {
    assertThat(merged(List.of(), 0, 3)).isEmpty();
    assertThat(merged(List.of(100), 1, 3)).containsExactly(100L);
    assertThat(merged(List.of(100, 20, 20, 10), 4, 3)).containsExactly(100L, 20L, 20L, 10L);
  }

  @Example
  void rewritesTheBaseWhenTheYoungRunsExceedHalfItsBytes() {
    assertThat(merged(List.of(100, 20, 30), 3, 3)).containsExactly(100L, 20L, 30L);
    assertThat(merged(List.of(100, 20, 31), 3, 3)).containsExactly(151L);
  }

  @Example
  void mergesTheNewestRunsOfSimilarSize() {
    assertThat(merged(List.of(1000, 100, 2, 1, 1, 1), 6, 3)).containsExactly(1000L, 100L, 5L);
    assertThat(merged(List.of(1000, 100, 50, 20, 10), 5, 3)).containsExactly(1000L, 100L, 50L, 30L);
  }

  @Example
  void mergesAboveTheLowWatermarkAsInTheExample() {
    assertThat(merged(List.of(100, 30, 20, 4, 2, 2, 1), 2, 3)).containsExactly(100L, 30L, 20L, 9L);
  }

  @Example
  void keepsTheRunThatTheLowWatermarkAdvancesToNext() {
    assertThat(merged(List.of(1, 1, 1, 1, 1), 0, 3)).containsExactly(1L, 4L);
    assertThat(merged(List.of(1, 1, 1, 1), 0, 3)).containsExactly(1L, 1L, 1L, 1L);
  }

  /**
   * Simulates a checkpoint per minute for four hours, with the chosen merges, and a low watermark
   * that advances to the newest run at least an hour old. Returns the greatest age of the low
   * watermark.
   */
  private static long oldestKept(long stepMinutes) {
    List<ManifestFile> runs = new ArrayList<>();
    long low = 0;
    long oldest = 0;
    for (long minute = 1; minute <= 240; minute++) {
      runs.add(run(minute, 10));
      List<ManifestFile> chosen = choose(runs, low, stepMinutes);
      while (!chosen.isEmpty()) {
        int first = runs.indexOf(chosen.get(0));
        long bytes = chosen.stream().mapToLong(ManifestFile::bytes).sum();
        ManifestFile last = chosen.get(chosen.size() - 1);
        runs.removeAll(chosen);
        runs.add(first, new ManifestFile(last.name(), last.at(), bytes, 0));
        chosen = choose(runs, low, stepMinutes);
      }
      for (ManifestFile run : runs) {
        long at = minuteOf(run);
        low = at <= minute - 60 ? Math.max(low, at) : low;
      }
      if (minute > 120) {
        oldest = Math.max(oldest, minute - low);
      }
      assertThat(runs.size()).isLessThanOrEqualTo(9 + 8 + 6);
    }
    return oldest;
  }

  private static ManifestFile run(long minute, long bytes) {
    return new ManifestFile(CheckpointFiles.run(minute), at(minute), bytes, 0);
  }

  private static VectorClock at(long minute) {
    return VectorClock.of(Timestamp.of(Timestamp.countAt(NOON + 60_000 * minute), 0));
  }

  private static long minuteOf(ManifestFile run) {
    return (Timestamp.epochMillis(run.at()) - NOON) / 60_000;
  }

  private static List<ManifestFile> choose(List<ManifestFile> runs, long low, long stepMinutes) {
    return Compaction.choose(runs, at(low), 8, 60_000 * stepMinutes);
  }

  @Example
  void withStepsTheLowWatermarkNeverLagsFar() {
    assertThat(oldestKept(0)).as("without steps").isBetween(100L, 125L);
    assertThat(oldestKept(10)).isBetween(60L, 72L);
  }

  /** For example with a pin that is open for days. */
  @Example
  void atMostSixRunsStayUnmergedHoweverLongTheLowWatermarkStays() {
    List<ManifestFile> runs = new ArrayList<>();
    for (long hour = 1; hour <= 30; hour++) {
      runs.add(run(60 * hour, 10));
    }

    List<ManifestFile> chosen = choose(runs, 0, 10);

    assertThat(chosen).isEqualTo(runs.subList(6, 30));
  }

  @Property
  void mergesNeighboursOnOneSideUntilNothingIsLeftToMerge(
      @ForAll @Size(max = 30) List<@IntRange(min = 1, max = 1000) Integer> bytes,
      @ForAll @IntRange(max = 30) int low,
      @ForAll @IntRange(min = 1, max = 8) int maxYoungRuns) {
    VectorClock lowWatermark = VectorClock.of(Math.min(low, bytes.size()));
    List<ManifestFile> runs = runs(bytes);
    VectorClock next = firstAbove(runs, lowWatermark);

    List<ManifestFile> chosen = Compaction.choose(runs, lowWatermark, maxYoungRuns, 0);
    while (!chosen.isEmpty()) {
      assertThat(chosen).hasSizeGreaterThan(1);
      int first = runs.indexOf(chosen.get(0));
      assertThat(runs.subList(first, first + chosen.size())).isEqualTo(chosen);
      assertThat(ManifestChange.splits(lowWatermark, chosen)).isFalse();
      ManifestFile last = chosen.get(chosen.size() - 1);
      long sum = chosen.stream().mapToLong(ManifestFile::bytes).sum();
      runs.removeAll(chosen);
      runs.add(first, new ManifestFile(last.name(), last.at(), sum, 0));
      chosen = Compaction.choose(runs, lowWatermark, maxYoungRuns, 0);
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
