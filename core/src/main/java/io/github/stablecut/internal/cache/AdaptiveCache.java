package io.github.stablecut.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.option.CacheOptions;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Keeps what Caffeine keeps, which does its work on the threads that call it. Thread-safe.
 *
 * <p>If the capacity is of objects, one that takes more than its share of the most bytes counts as
 * several, so that both limits are kept by one weight.
 */
final class AdaptiveCache implements VersionCache {
  /** What an object with a version takes at least. */
  private static final int LEAST_BYTES = 100;

  private final Cache<ObjectEntry, ObjectEntry> kept;
  private final boolean inBytes;
  private final LongAdder sampledHits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder evictions = new LongAdder();

  AdaptiveCache(CacheOptions.Capacity capacity, long mostBytes, ObjectIndex index) {
    this.inBytes = capacity.inBytes();
    long amount =
        inBytes
            ? capacity.amount()
            : Math.min(capacity.amount(), Math.max(1, mostBytes / LEAST_BYTES));
    long share = Math.max(1, mostBytes / amount);
    this.kept =
        Caffeine.newBuilder()
            .maximumWeight(amount)
            .weigher(
                (ObjectEntry id, ObjectEntry entry) ->
                    inBytes ? entry.keptBytes() : sharesOf(entry.keptBytes(), share))
            .executor(Runnable::run)
            .evictionListener(
                (id, entry, cause) -> {
                  if (id != null) {
                    evictions.increment();
                    index.forget(id.id());
                  }
                })
            .build();
  }

  /** How many times the bytes that each object may take on the average, rounded up. */
  private static int sharesOf(long bytes, long share) {
    return (int) Math.max(1, (bytes + share - 1) / share);
  }

  @Override
  public void hit(ObjectEntry entry) {
    if (Sampling.takes()) {
      sampledHits.increment();
      var unused = kept.getIfPresent(entry);
    }
  }

  @Override
  public void made(ObjectEntry entry) {
    misses.increment();
    kept.put(entry, entry);
  }

  @Override
  public void shrank(ObjectEntry entry) {
    if (entry.keptBytes() == 0) {
      kept.invalidate(entry);
    } else {
      var unused = kept.asMap().replace(entry, entry);
    }
  }

  @Override
  public List<LevelStatus> levels() {
    long bytes =
        inBytes
            ? kept.policy().eviction().map(Policy.Eviction::weightedSize).orElseThrow().orElse(0)
            : kept.asMap().values().stream().mapToLong(ObjectEntry::keptBytes).sum();
    return List.of(
        new LevelStatus(
            0, kept.estimatedSize(), bytes, sampledHits.sum() * Sampling.ONE_IN, evictions.sum()));
  }

  @Override
  public long misses() {
    return misses.sum();
  }
}
