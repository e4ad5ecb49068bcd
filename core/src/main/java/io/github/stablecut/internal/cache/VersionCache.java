package io.github.stablecut.internal.cache;

import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.option.CacheOptions;
import java.util.List;

/** Decides which objects' versions stay in the index. Thread-safe. */
public interface VersionCache {
  /**
   * Figures of one level. What is counted is sampled, so it is about right, and grows in steps.
   *
   * @param level its place, 0 for the first
   * @param objects how many objects' versions are in it
   * @param bytes what they take, about
   * @param hits the reads that were answered by it
   * @param evictions the objects that it let go of
   */
  record LevelStatus(int level, long objects, long bytes, long hits, long evictions) {}

  /** A reader was answered by a kept version. */
  void hit(ObjectEntry entry);

  /** A reader had to make a version, which the entry keeps now. */
  void made(ObjectEntry entry);

  /** Versions of an object were evicted for another reason. */
  void shrank(ObjectEntry entry);

  /** Figures of each level. */
  List<LevelStatus> levels();

  /** The number of reads that no kept version answered. */
  long misses();

  /** Whether versions are kept at all. */
  default boolean keeps() {
    return true;
  }

  /**
   * A cache as a policy says.
   *
   * @param mostBytes what is kept takes at most if the policy speaks of objects
   */
  static VersionCache of(CacheOptions policy, long mostBytes, ObjectIndex index) {
    if (policy instanceof CacheOptions.Adaptive adaptive) {
      return new AdaptiveCache(adaptive.capacity(), mostBytes, index);
    }
    if (policy instanceof CacheOptions.Levels levels) {
      return new SegmentedCache(levels.capacities(), mostBytes, index);
    }
    return new NoCache();
  }
}
