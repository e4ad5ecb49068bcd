package io.github.stablecut.internal.cache;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.option.CacheOptions.Capacity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The segmented cache of the report (section 2.4, figure 3): levels in a circle, with the newest
 * objects in the head. When the head is full, the least recently filled level is emptied and
 * becomes the head. Thread-safe; one reader in {@value Sampling#ONE_IN} takes the lock.
 */
final class SegmentedCache implements VersionCache {
  private static final class Level {
    private final Capacity capacity;
    private final long maxBytes;
    private final Map<ObjectEntry, Integer> weights = new HashMap<>();
    private long filled;
    private long bytes;
    private long hits;
    private long evictions;

    Level(Capacity capacity, long maxBytes) {
      this.capacity = capacity;
      this.maxBytes = maxBytes;
    }

    void add(ObjectEntry entry, int keptBytes) {
      remove(entry);
      weights.put(entry, keptBytes);
      bytes += keptBytes;
      filled += capacity.inBytes() ? keptBytes : 1;
    }

    @CanIgnoreReturnValue
    boolean remove(ObjectEntry entry) {
      Integer weight = weights.remove(entry);
      if (weight == null) {
        return false;
      }
      bytes -= weight;
      filled -= capacity.inBytes() ? weight : 1;
      return true;
    }

    boolean isFull() {
      return filled >= capacity.amount() || (!capacity.inBytes() && bytes >= maxBytes);
    }

    List<ObjectEntry> clear() {
      List<ObjectEntry> all = new ArrayList<>(weights.keySet());
      evictions += all.size();
      weights.clear();
      bytes = 0;
      filled = 0;
      return all;
    }
  }

  private final ObjectIndex index;
  private final LongAdder misses = new LongAdder();

  @GuardedBy("this")
  private final List<Level> levels = new ArrayList<>();

  @GuardedBy("this")
  private int head;

  SegmentedCache(List<Capacity> capacities, long maxBytes, ObjectIndex index) {
    this.index = index;
    capacities.forEach(
        capacity -> levels.add(new Level(capacity, Math.max(1, maxBytes / capacities.size()))));
  }

  @Override
  public void hit(ObjectEntry entry) {
    if (Sampling.takes()) {
      enter(entry, Sampling.ONE_IN).forEach(evicted -> index.forget(evicted.id()));
    }
  }

  @Override
  public void made(ObjectEntry entry) {
    misses.increment();
    enter(entry, 0).forEach(evicted -> index.forget(evicted.id()));
  }

  @Override
  public synchronized void shrank(ObjectEntry entry) {
    int keptBytes = entry.keptBytes();
    for (Level level : levels) {
      if (level.remove(entry) && keptBytes > 0) {
        level.add(entry, keptBytes);
      }
    }
  }

  /** Moves an object into the head, and returns the evicted objects. */
  private synchronized List<ObjectEntry> enter(ObjectEntry entry, int hits) {
    for (Level level : levels) {
      if (level.remove(entry)) {
        level.hits += hits;
      }
    }
    List<ObjectEntry> evicted = levels.get(head).isFull() ? evictOldestLevel() : List.of();
    levels.get(head).add(entry, entry.keptBytes());
    return evicted;
  }

  @GuardedBy("this")
  private List<ObjectEntry> evictOldestLevel() {
    head = (head + 1) % levels.size();
    return levels.get(head).clear();
  }

  @Override
  public synchronized List<LevelStatus> levels() {
    List<LevelStatus> all = new ArrayList<>();
    for (int i = 0; i < levels.size(); i++) {
      Level level = levels.get((head + levels.size() - i) % levels.size());
      all.add(new LevelStatus(i, level.weights.size(), level.bytes, level.hits, level.evictions));
    }
    return all;
  }

  @Override
  public long misses() {
    return misses.sum();
  }
}
