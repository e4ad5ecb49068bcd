package io.github.stablecut.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CacheOptions.Capacity;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A cache whose size is given in objects is bounded in bytes, too. */
final class CacheLimitsTest {
  private static final long MAX_BYTES = 1 << 20;
  private static final int OBJECTS = 100;

  private static final List<CacheOptions> POLICIES =
      List.of(
          CacheOptions.objects(OBJECTS),
          CacheOptions.levels(Capacity.objects(OBJECTS / 2), Capacity.objects(OBJECTS / 2)));

  private final ObjectIndex index = new ObjectIndex(true);

  private void read(VersionCache cache, int object, int bytes) {
    Bytes id = Bytes.utf8("object " + object);
    VectorClock at = VectorClock.of(1);
    index.offer(id, new Version(PnCounter.TYPE, at, at, 0L, bytes)).ifPresent(cache::made);
  }

  private static long bytesOf(VersionCache cache) {
    return cache.levels().stream().mapToLong(VersionCache.LevelStatus::bytes).sum();
  }

  private static long objectsOf(VersionCache cache) {
    return cache.levels().stream().mapToLong(VersionCache.LevelStatus::objects).sum();
  }

  @Test
  void holdsFewerLargeObjects() {
    for (CacheOptions policy : POLICIES) {
      VersionCache cache = VersionCache.of(policy, MAX_BYTES, index);
      int large = (int) MAX_BYTES / 10;
      for (int i = 0; i < 1_000; i++) {
        read(cache, i, large);
        // The object that exceeds a level's limit still belongs to it.
        assertThat(bytesOf(cache)).isLessThan(MAX_BYTES + 2L * large);
      }
      assertThat(objectsOf(cache)).isPositive().isLessThan(13);
    }
  }

  @Test
  void holdsTheConfiguredNumberOfSmallObjects() {
    for (CacheOptions policy : POLICIES) {
      VersionCache cache = VersionCache.of(policy, MAX_BYTES, index);
      for (int i = 0; i < 1_000; i++) {
        read(cache, i, 100);
      }
      assertThat(objectsOf(cache)).isBetween(OBJECTS / 2L, (long) OBJECTS);
    }
  }

  @Test
  void anUnlimitedNumberIsBoundedByBytes() {
    VersionCache cache = VersionCache.of(CacheOptions.objects(Long.MAX_VALUE), MAX_BYTES, index);
    for (int i = 0; i < 20_000; i++) {
      read(cache, i, i % 300);
    }
    assertThat(bytesOf(cache)).isBetween(MAX_BYTES / 2, MAX_BYTES);
  }
}
