package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Scan;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.StoreOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Protocol 4.5: truncates the journal after a reader has looked up the positions of effects and
 * before it reads them, at each of its accesses to the journal.
 */
final class TruncationUnderReadsTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final int INCREMENTS = 3;

  /** Large enough that a segment has room for three. */
  private static final Bytes LARGE = Bytes.wrap(new byte[300_000]);

  /** The number of accesses to the journal until the truncation; 0 for none. */
  private final AtomicInteger looks = new AtomicInteger();

  private static StoreOptions options(boolean isIndexed) {
    return StoreOptions.defaults()
        .withIndex(isIndexed ? IndexOptions.defaults() : IndexOptions.off())
        .withCache(CacheOptions.off())
        .withLimits(LossyDisk.LIMITS.withSegmentBytes(1 << 20).withEffectBytes(0))
        .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));
  }

  /** A store that is truncated when one of its segments is opened for reading. */
  private EmbeddedStore open(LossyDisk disk, boolean isIndexed) {
    EmbeddedStore[] store = new EmbeddedStore[1];
    SegmentStore segments =
        (SegmentStore)
            Proxy.newProxyInstance(
                SegmentStore.class.getClassLoader(),
                new Class<?>[] {SegmentStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("view") && looks.getAndDecrement() == 1) {
                    store[0].checkpoint();
                  }
                  try {
                    return method.invoke(disk.journal(), arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    store[0] = StoreOpening.open(segments, disk.checkpoints(), options(isIndexed));
    return store[0];
  }

  private void tryAtEachLook(boolean isIndexed, ToLongFunction<EmbeddedStore> reader) {
    int truncations = 0;
    for (boolean isTruncated = true; isTruncated; ) {
      LossyDisk disk = LossyDisk.empty();
      try (EmbeddedStore store = open(disk, isIndexed)) {
        RegisterKey<Bytes> other = Key.register("b", "other", Codec.bytes());
        for (int i = 0; i < INCREMENTS; i++) {
          for (int filling = 0; filling < 4; filling++) {
            store.update(other.assign(LARGE));
          }
          store.update(COUNTER.increment());
        }
        looks.set(truncations + 1);

        assertThat(reader.applyAsLong(store)).isEqualTo(INCREMENTS);

        isTruncated = looks.get() <= 0;
        looks.set(0);
        checkAfterKill(disk, isIndexed);
        truncations += isTruncated ? 1 : 0;
        // The segments retained for the reader go with the next checkpoint.
        store.update(COUNTER.increment());
        store.checkpoint();
        assertThat(store.status().journal().firstSegment()).isGreaterThan(INCREMENTS);
        assertThat(store.read(COUNTER)).isEqualTo(INCREMENTS + 1);
      }
    }
    assertThat(truncations).isPositive();
  }

  /** A later reader needs nothing of what was retained for an earlier one. */
  private static void checkAfterKill(LossyDisk disk, boolean isIndexed) {
    try (EmbeddedStore store = disk.afterKill().open(options(isIndexed))) {
      assertThat(store.read(COUNTER)).isEqualTo(INCREMENTS);
      store.update(COUNTER.increment());
      store.checkpoint();
      assertThat(store.status().journal().firstSegment()).isGreaterThan(INCREMENTS);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReadMissesNothing(boolean isIndexed) {
    tryAtEachLook(isIndexed, store -> store.read(COUNTER));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aScanMissesNothing(boolean isIndexed) {
    tryAtEachLook(
        isIndexed,
        store -> {
          try (Scan scan = store.snapshot().scan("b", "counter")) {
            return (Long) scan.next().value();
          }
        });
  }
}
