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
 * A version cache with Caffeine's adaptive policy, maintained on the calling threads. Thread-safe.
 *
 * <p>If the capacity is a number of objects, an object above its share of the maximum bytes counts
 * as several, so that one weight enforces both limits.
 */
final class AdaptiveCache implements VersionCache {
  /** The minimum size of an object with a version. */
  private static final int MIN_OBJECT_BYTES = 100;

  private final Cache<ObjectEntry, ObjectEntry> kept;
  private final boolean inBytes;
  private final LongAdder sampledHits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder evictions = new LongAdder();

  AdaptiveCache(CacheOptions.Capacity capacity, long maxBytes, ObjectIndex index) {
    this.inBytes = capacity.inBytes();
    long amount =
        inBytes
            ? capacity.amount()
            : Math.min(capacity.amount(), Math.max(1, maxBytes / MIN_OBJECT_BYTES));
    long share = Math.max(1, maxBytes / amount);
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

  /** The size as a multiple of the average share of an object, rounded up. */
  private static int sharesOf(long bytes, long share) {
    return (int) Math.max(1, (bytes + share - 1) / share);
  }

  @Override
  @SuppressWarnings("CheckReturnValue") // the look-up tells the eviction policy
  public void hit(ObjectEntry entry) {
    if (Sampling.takes()) {
      sampledHits.increment();
      kept.getIfPresent(entry);
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
      kept.asMap().replace(entry, entry);
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
