package io.github.stablecut.checkpoint;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.FormatMethod;
import io.github.stablecut.causality.VectorClock;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The contents of a checkpoint store since one change. Immutable; {@link ManifestChange} creates
 * the next one.
 *
 * @param number the number of changes so far
 * @param epoch the opening that wrote it: epochs ascend, and none is above {@code number}
 * @param hashSeed the key of the hash in the runs' indexes
 * @param lowWatermark the oldest snapshot that may be read, C*: the zero vector, or the K of a run
 * @param firstSegment the first segment of the journal that is needed, from 1
 * @param clockCeiling no timestamp at or above it was ever issued
 * @param runs oldest first
 * @param histories oldest first; none is at or below the low watermark
 * @param attributes other data of the caller: names of letters, digits, '.', '-' and '_', and
 *     values of printable ASCII
 */
public record Manifest(
    long number,
    long epoch,
    long hashSeed,
    VectorClock lowWatermark,
    int firstSegment,
    long clockCeiling,
    List<ManifestFile> runs,
    List<ManifestFile> histories,
    SortedMap<String, String> attributes) {

  /** Checks the invariants, and copies the collections. */
  public Manifest {
    runs = List.copyOf(runs);
    histories = List.copyOf(histories);
    attributes = Collections.unmodifiableSortedMap(new TreeMap<>(attributes));
    check(number >= 0 && epoch >= 0 && epoch <= number, "epoch %d in number %d", epoch, number);
    check(firstSegment >= 1, "first segment %d", firstSegment);
    check(clockCeiling >= 0, "clock ceiling %d", clockCeiling);
    checkOrder(runs);
    checkOrder(histories);
    VectorClock low = lowWatermark;
    check(
        low.equals(VectorClock.ZERO) || runs.stream().anyMatch(run -> run.at().equals(low)),
        "low watermark %s, which is no run's: %s",
        low,
        runs);
    check(
        histories.isEmpty() || !histories.get(0).at().isAtOrBefore(low),
        "history at or below the low watermark %s: %s",
        low,
        histories);
    attributes.forEach(
        (key, value) ->
            check(
                key.matches("[A-Za-z0-9._-]+") && value.matches("[ -~]*"),
                "attribute %s=%s",
                key,
                value));
  }

  /** Starts a manifest that needs the whole journal. */
  public static Builder builder(long number, long epoch, long hashSeed) {
    return new Builder(number, epoch, hashSeed);
  }

  /** Returns a builder with the components of this. */
  public Builder toBuilder() {
    return new Builder(number, epoch, hashSeed)
        .lowWatermark(lowWatermark)
        .firstSegment(firstSegment)
        .clockCeiling(clockCeiling)
        .runs(runs)
        .histories(histories)
        .attributes(attributes);
  }

  /** The manifest of a new store, which needs the whole journal. */
  public static Manifest empty(long hashSeed) {
    return builder(0, 0, hashSeed).build();
  }

  private static void checkOrder(List<ManifestFile> files) {
    for (int i = 1; i < files.size(); i++) {
      VectorClock before = files.get(i - 1).at();
      VectorClock at = files.get(i).at();
      check(before.isAtOrBefore(at) && !before.equals(at), "%s after %s", at, before);
    }
  }

  @FormatMethod
  private static void check(boolean condition, String format, Object... facts) {
    if (!condition) {
      throw new IllegalArgumentException(format.formatted(facts));
    }
  }

  /** The vector of the newest checkpoint; zero if there is none. */
  public VectorClock checkpointTime() {
    return runs.isEmpty() ? VectorClock.ZERO : runs.get(runs.size() - 1).at();
  }

  /** The vector of the newest history file; zero if there is none. */
  public VectorClock historyTime() {
    return histories.isEmpty() ? VectorClock.ZERO : histories.get(histories.size() - 1).at();
  }

  /** The runs and the history files. */
  public List<ManifestFile> files() {
    return Stream.concat(runs.stream(), histories.stream()).toList();
  }

  /** Whether a file is part of the store. */
  public boolean names(String name) {
    return files().stream().anyMatch(file -> file.name().equals(name));
  }

  /**
   * Builds a {@link Manifest}. Its methods set the components of the same names. Not thread-safe.
   */
  public static final class Builder {
    private long number;
    private final long epoch;
    private final long hashSeed;
    private VectorClock lowWatermark = VectorClock.ZERO;
    private int firstSegment = 1;
    private long clockCeiling;
    private List<ManifestFile> runs = List.of();
    private List<ManifestFile> histories = List.of();
    private SortedMap<String, String> attributes = new TreeMap<>();

    private Builder(long number, long epoch, long hashSeed) {
      this.number = number;
      this.epoch = epoch;
      this.hashSeed = hashSeed;
    }

    @CanIgnoreReturnValue
    public Builder number(long number) {
      this.number = number;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder lowWatermark(VectorClock lowWatermark) {
      this.lowWatermark = lowWatermark;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder firstSegment(int firstSegment) {
      this.firstSegment = firstSegment;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder clockCeiling(long clockCeiling) {
      this.clockCeiling = clockCeiling;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder runs(List<ManifestFile> runs) {
      this.runs = runs;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder histories(List<ManifestFile> histories) {
      this.histories = histories;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder attributes(SortedMap<String, String> attributes) {
      this.attributes = attributes;
      return this;
    }

    public Manifest build() {
      return new Manifest(
          number,
          epoch,
          hashSeed,
          lowWatermark,
          firstSegment,
          clockCeiling,
          runs,
          histories,
          attributes);
    }
  }
}
