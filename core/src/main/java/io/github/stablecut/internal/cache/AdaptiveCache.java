package io.github.stablecut.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.option.CacheOptions;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Keeps what Caffeine keeps, which does its work on the threads that call it. Thread-safe. */
final class AdaptiveCache implements VersionCache {
  private final Cache<Bytes, ObjectEntry> kept;
  private final boolean inBytes;
  private final LongAdder sampledHits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder evictions = new LongAdder();

  AdaptiveCache(CacheOptions.Capacity capacity, ObjectIndex index) {
    this.inBytes = capacity.inBytes();
    this.kept =
        Caffeine.newBuilder()
            .maximumWeight(capacity.amount())
            .weigher((Bytes id, ObjectEntry entry) -> inBytes ? entry.keptBytes() : 1)
            .executor(Runnable::run)
            .evictionListener(
                (id, entry, cause) -> {
                  if (id != null) {
                    evictions.increment();
                    index.forget(id);
                  }
                })
            .build();
  }

  @Override
  public void hit(Bytes id, ObjectEntry entry) {
    if (Sampling.takes()) {
      sampledHits.increment();
      var unused = kept.getIfPresent(id);
    }
  }

  @Override
  public void made(Bytes id, ObjectEntry entry) {
    misses.increment();
    kept.put(id, entry);
  }

  @Override
  public void shrank(Bytes id, @Nullable ObjectEntry entry) {
    if (entry == null || entry.keptBytes() == 0) {
      kept.invalidate(id);
    } else {
      var unused = kept.asMap().replace(id, entry);
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
