package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What an open scan holds. */
class EmbeddedScanTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");

  @Test
  void anErrorAtItsEndReleasesItsSnapshot() {
    StoreOptions options =
        StoreOptions.defaults()
            .withLimits(LossyDisk.LIMITS)
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));
    try (EmbeddedStore store = LossyDisk.empty().open(options)) {
      store.update(COUNTER.increment());
      VectorClock snapshot = store.snapshot().token().vector();
      EmbeddedScan scan =
          EmbeddedScan.open(
              store,
              store::checkOpen,
              ScanPlan.ofAll(),
              snapshot,
              Long.MAX_VALUE,
              WithoutMemory::new,
              EmbeddedScan.Progress.IGNORED);
      store.update(COUNTER.increment());
      store.checkpoint();
      assertThat(lowWatermark(store).isAtOrBefore(snapshot)).isTrue();

      assertThatThrownBy(scan::close).isInstanceOf(OutOfMemoryError.class);

      store.update(COUNTER.increment());
      store.checkpoint();
      assertThat(lowWatermark(store).isAtOrBefore(snapshot)).isFalse();
    }
  }

  private static VectorClock lowWatermark(EmbeddedStore store) {
    return store.status().times().lowWatermark().vector();
  }

  /** Fails after it was closed. */
  private record WithoutMemory(FoundObjects objects) implements FoundObjects {
    @Override
    public Optional<FoundObject> next() {
      return objects.next();
    }

    @Override
    public void close() {
      objects.close();
      throw new OutOfMemoryError("injected");
    }
  }
}
