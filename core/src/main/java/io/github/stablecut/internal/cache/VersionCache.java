package io.github.stablecut.internal.cache;

import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.option.CacheOptions;
import java.util.List;

/** Decides which objects' versions stay in the index. Thread-safe. */
public interface VersionCache {
  /**
   * Figures of one level. Counts are sampled, so they are approximate and grow in steps.
   *
   * @param level its index, 0 for the first
   * @param objects the number of objects with versions in it
   * @param bytes their approximate size
   * @param hits the number of reads that it served
   * @param evictions the number of objects evicted
   */
  record LevelStatus(int level, long objects, long bytes, long hits, long evictions) {}

  /** Notes that a cached version served a reader. */
  void hit(ObjectEntry entry);

  /** Notes that a reader materialized a version, which the entry now keeps. */
  void made(ObjectEntry entry);

  /** Notes that versions of an object were evicted for another reason. */
  void shrank(ObjectEntry entry);

  /** Figures of each level. */
  List<LevelStatus> levels();

  /** The number of reads that no cached version served. */
  long misses();

  /** Whether versions are cached at all. */
  default boolean keeps() {
    return true;
  }

  /**
   * Creates a cache for a policy.
   *
   * @param maxBytes the maximum size if the policy limits the number of objects
   */
  static VersionCache of(CacheOptions policy, long maxBytes, ObjectIndex index) {
    if (policy instanceof CacheOptions.Adaptive adaptive) {
      return new AdaptiveCache(adaptive.capacity(), maxBytes, index);
    }
    if (policy instanceof CacheOptions.Levels levels) {
      return new SegmentedCache(levels.capacities(), maxBytes, index);
    }
    return new NoCache();
  }
}
