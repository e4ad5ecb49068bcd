package io.github.stablecut.checkpoint;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A change for {@link CheckpointStore#commit}, applied atomically. Everything not mentioned stays.
 * Confined to one thread.
 */
public final class ManifestChange {
  private final Manifest base;
  private final List<ManifestFile> runs;
  private final List<ManifestFile> histories;
  private final SortedMap<String, String> attributes;
  private VectorClock lowWatermark;
  private int firstSegment;
  private long clockCeiling;

  ManifestChange(Manifest base) {
    this.base = base;
    this.runs = new ArrayList<>(base.runs());
    this.histories = new ArrayList<>(base.histories());
    this.attributes = new TreeMap<>(base.attributes());
    this.lowWatermark = base.lowWatermark();
    this.firstSegment = base.firstSegment();
    this.clockCeiling = base.clockCeiling();
  }

  /** Adds a complete run; its K is above that of all others. */
  @CanIgnoreReturnValue
  public ManifestChange addRun(ManifestFile run) {
    runs.add(run);
    return this;
  }

  /** Adds a complete history file; its K is above that of all others. */
  @CanIgnoreReturnValue
  public ManifestChange addHistory(ManifestFile history) {
    histories.add(history);
    return this;
  }

  /**
   * Raises the oldest snapshot that may be read to the K of a run. Removes history files at or
   * below it.
   */
  @CanIgnoreReturnValue
  public ManifestChange lowWatermark(VectorClock newLowWatermark) {
    requireNotLower(base.lowWatermark().isAtOrBefore(newLowWatermark), "low watermark");
    lowWatermark = newLowWatermark;
    histories.removeIf(history -> history.at().isAtOrBefore(newLowWatermark));
    return this;
  }

  /** Raises the first segment of the journal that is needed. */
  @CanIgnoreReturnValue
  public ManifestChange firstSegment(int segment) {
    requireNotLower(base.firstSegment() <= segment, "first segment");
    firstSegment = segment;
    return this;
  }

  /** Raises the upper bound on all issued timestamps. */
  @CanIgnoreReturnValue
  public ManifestChange clockCeiling(long ceiling) {
    requireNotLower(base.clockCeiling() <= ceiling, "clock ceiling");
    clockCeiling = ceiling;
    return this;
  }

  /** Sets an attribute. */
  @CanIgnoreReturnValue
  public ManifestChange attribute(String name, String value) {
    attributes.put(name, value);
    return this;
  }

  /** Removes an attribute. */
  @CanIgnoreReturnValue
  public ManifestChange withoutAttribute(String name) {
    attributes.remove(name);
    return this;
  }

  /** Whether the low watermark lies between merged runs, so that these have to stay. */
  static boolean splits(VectorClock lowWatermark, List<ManifestFile> merged) {
    return merged.get(0).at().isAtOrBefore(lowWatermark)
        && !merged.get(merged.size() - 1).at().isAtOrBefore(lowWatermark);
  }

  /** Replaces neighbouring runs with the result of merging them. */
  @CanIgnoreReturnValue
  ManifestChange replaceRuns(List<ManifestFile> merged, ManifestFile by) {
    int first = runs.indexOf(merged.get(0));
    int end = first + merged.size();
    if (first < 0
        || end > runs.size()
        || !runs.subList(first, end).equals(merged)
        || splits(lowWatermark, merged)) {
      throw new IllegalArgumentException(
          "%s can't replace %s in %s at %s".formatted(by, merged, runs, lowWatermark));
    }
    runs.subList(first, end).clear();
    runs.add(first, by);
    return this;
  }

  private static void requireNotLower(boolean condition, String what) {
    if (!condition) {
      throw new IllegalArgumentException("the " + what + " can't be lowered");
    }
  }

  Manifest build(long number, long epoch) {
    return Manifest.builder(number, epoch, base.hashSeed())
        .lowWatermark(lowWatermark)
        .firstSegment(firstSegment)
        .clockCeiling(clockCeiling)
        .runs(runs)
        .histories(histories)
        .attributes(attributes)
        .build();
  }
}
