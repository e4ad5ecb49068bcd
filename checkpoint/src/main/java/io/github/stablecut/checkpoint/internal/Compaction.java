package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.ManifestFile;
import java.util.List;

/**
 * Which runs to merge. Merging keeps the number of runs that a read looks into small, and writes
 * each byte few times.
 *
 * <p>Runs at or below the low watermark and runs above it are never merged with each other: the
 * result would have lost the states that readers at the low watermark need.
 *
 * <ol>
 *   <li>Below: the oldest run is the base, the others are young. If the young ones have more than
 *       half the base's bytes, all are merged into a new base.
 *   <li>Below and above: if there are more young runs than allowed, a group of neighbours is
 *       merged. It begins with the newest and takes in each older one that is no larger than what
 *       it has so far, and in any case so many that the number is in bounds again. So runs of about
 *       the same size are merged, and a byte is merged as often as sizes double.
 *   <li>The oldest run above counts as no young one and is left alone. It is where the low
 *       watermark goes next; if it could be merged with newer ones again and again, the low
 *       watermark, which has to be the vector of a run, might find none to go to. So are a few
 *       behind it, each a step of time after the one before, in one run with what lies between:
 *       with one alone the low watermark would go there when it is as old as what is to be kept,
 *       and find the next one as old only when the journal holds twice that.
 * </ol>
 *
 * <p>Example: limit 3, bytes from old to new, the bar is the low watermark.
 *
 * <pre>
 *   100, 30 | 20, 4, 2, 2, 1
 *
 *   below   30 is at most half of 100, and one young run is allowed
 *   above   20 is left alone; of 4, 2, 2, 1 the group is 1; with 2 (to be in bounds), 3;
 *           with 2, 5; with 4, 9:
 *
 *   100, 30 | 20, 9
 * </pre>
 */
public final class Compaction {
  /** So many runs above the low watermark are left alone, at most. */
  private static final int MOST_LEFT_ALONE = 6;

  private Compaction() {}

  /**
   * The neighbours to be merged next, oldest first; none if all is well.
   *
   * @param runs oldest first
   * @param maxYoungRuns how many young runs there may be below the low watermark, and above it
   * @param stepMillis how far apart runs above it are that are left alone; 0 if only the oldest is
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
        return newestOfAboutASize(young, maxYoungRuns);
      }
    }
    List<ManifestFile> above = runs.subList(split, runs.size());
    int alone = leftAlone(above, stepMillis);
    List<ManifestFile> young = above.subList(alone, above.size());
    int step = alone > 0 && alone < mostLeftAlone(stepMillis) ? step(above, alone, stepMillis) : 0;
    if (step > 0) {
      return above.subList(alone, step + 1);
    }
    return young.size() > maxYoungRuns ? newestOfAboutASize(young, maxYoungRuns) : List.of();
  }

  private static int mostLeftAlone(long stepMillis) {
    return stepMillis > 0 ? MOST_LEFT_ALONE : 1;
  }

  /** The first run that is a step behind those that are left alone; 0 if there is none. */
  private static int step(List<ManifestFile> above, int alone, long stepMillis) {
    for (int next = alone; next < above.size(); next++) {
      if (isStepApart(above.get(alone - 1), above.get(next), stepMillis)) {
        return next;
      }
    }
    return 0;
  }

  private static boolean isStepApart(ManifestFile from, ManifestFile to, long stepMillis) {
    return Timestamp.epochMillis(to.at()) - Timestamp.epochMillis(from.at()) >= stepMillis;
  }

  /** How many of the oldest are left alone. */
  private static int leftAlone(List<ManifestFile> above, long stepMillis) {
    int most = Math.min(mostLeftAlone(stepMillis), above.size());
    int alone = Math.min(1, most);
    while (alone < most && isStepApart(above.get(alone - 1), above.get(alone), stepMillis)) {
      alone++;
    }
    return alone;
  }

  private static List<ManifestFile> newestOfAboutASize(List<ManifestFile> young, int maxYoungRuns) {
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
