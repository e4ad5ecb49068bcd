package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.ManifestFile;
import java.util.List;

/**
 * Chooses the runs to merge. Merging keeps the number of runs per read small, and rewrites each
 * byte only a few times.
 *
 * <p>Runs at or below the low watermark are never merged with runs above it: the result would lack
 * the states that readers at the low watermark need.
 *
 * <ol>
 *   <li>Below: the oldest run is the base, the others are young. If the young ones exceed half the
 *       base's bytes, all are merged into a new base.
 *   <li>Below and above: if there are more young runs than allowed, a group of neighbours is
 *       merged. The group begins with the newest run, and adds each older one that is no larger
 *       than the group so far. It adds at least as many as needed to be within the limit. So runs
 *       of similar sizes are merged, and a byte is rewritten once per doubling of sizes.
 *   <li>The oldest run above is not young, and stays unmerged. The low watermark, which has to be
 *       the vector of a run, advances to it next; repeated merges with newer runs would leave it
 *       none. A few later runs stay unmerged for the same reason, each at least one step of time
 *       after the previous one; the runs between two of them are merged into one. With only one
 *       unmerged run, the watermark would advance to it when it reaches the retention age. The next
 *       candidate would then reach that age only after the journal holds twice that time.
 * </ol>
 *
 * <p>Example: limit 3; sizes from old to new; the bar is the low watermark.
 *
 * <pre>
 *   100, 30 | 20, 4, 2, 2, 1
 *
 *   below   30 is at most half of 100, and one young run is allowed
 *   above   20 stays unmerged; of 4, 2, 2, 1 the group is 1; with 2 (to meet the limit), 3;
 *           with 2, 5; with 4, 9:
 *
 *   100, 30 | 20, 9
 * </pre>
 */
public final class Compaction {
  /** The maximum number of runs above the low watermark that stay unmerged. */
  private static final int MAX_UNMERGED = 6;

  private Compaction() {}

  /**
   * The neighbouring runs to merge next, oldest first; empty if there are none.
   *
   * @param runs oldest first
   * @param maxYoungRuns the maximum number of young runs below the low watermark, and above it
   * @param stepMillis the time between unmerged runs above it; 0 if only the oldest stays unmerged
   */
  public static List<ManifestFile> choose(
      List<ManifestFile> runs, VectorClock lowWatermark, int maxYoungRuns, long stepMillis) {
    int split = 0;
    while (split < runs.size() && runs.get(split).at().isAtOrBefore(lowWatermark)) {
      split++;
    }
    List<ManifestFile> below = runs.subList(0, split);
    if (split > 0) {
      List<ManifestFile> young = below.subList(1, split);
      if (bytes(young) > below.get(0).bytes() / 2) {
        return below;
      }
      if (young.size() > maxYoungRuns) {
        return newestOfSimilarSize(young, maxYoungRuns);
      }
    }
    List<ManifestFile> above = runs.subList(split, runs.size());
    int unmergedCount = unmerged(above, stepMillis);
    List<ManifestFile> young = above.subList(unmergedCount, above.size());
    int step =
        unmergedCount > 0 && unmergedCount < maxUnmerged(stepMillis)
            ? step(above, unmergedCount, stepMillis)
            : 0;
    if (step > 0) {
      return above.subList(unmergedCount, step + 1);
    }
    return young.size() > maxYoungRuns ? newestOfSimilarSize(young, maxYoungRuns) : List.of();
  }

  private static int maxUnmerged(long stepMillis) {
    return stepMillis > 0 ? MAX_UNMERGED : 1;
  }

  /** The index of the first run one step after the unmerged ones; 0 if there is none. */
  private static int step(List<ManifestFile> above, int unmergedCount, long stepMillis) {
    for (int next = unmergedCount; next < above.size(); next++) {
      if (isStepApart(above.get(unmergedCount - 1), above.get(next), stepMillis)) {
        return next;
      }
    }
    return 0;
  }

  private static boolean isStepApart(ManifestFile from, ManifestFile to, long stepMillis) {
    return Timestamp.epochMillis(to.at()) - Timestamp.epochMillis(from.at()) >= stepMillis;
  }

  /** The number of oldest runs that stay unmerged. */
  private static int unmerged(List<ManifestFile> above, long stepMillis) {
    int most = Math.min(maxUnmerged(stepMillis), above.size());
    int unmergedCount = Math.min(1, most);
    while (unmergedCount < most
        && isStepApart(above.get(unmergedCount - 1), above.get(unmergedCount), stepMillis)) {
      unmergedCount++;
    }
    return unmergedCount;
  }

  private static List<ManifestFile> newestOfSimilarSize(
      List<ManifestFile> young, int maxYoungRuns) {
    int first = young.size() - 1;
    long bytes = young.get(first).bytes();
    while (first > 0 && (first >= maxYoungRuns || young.get(first - 1).bytes() <= bytes)) {
      first--;
      bytes += young.get(first).bytes();
    }
    return young.subList(first, young.size());
  }

  private static long bytes(List<ManifestFile> files) {
    return files.stream().mapToLong(ManifestFile::bytes).sum();
  }
}
