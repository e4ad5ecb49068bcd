package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.WatchOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program that watches up to a snapshot reaches it, even without further writes. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WatchToSnapshotTest {
  private static final CounterKey KEY = Key.counter("b", "k");

  @TempDir private Path directory;

  private static int changesUpToNow(Store store) throws InterruptedException {
    Snapshot now = store.snapshot();
    CausalToken begin = store.status().times().lowWatermark();
    int changes = 0;
    try (Watch watch = store.watch("b", "", WatchOptions.after(begin))) {
      while (!now.token().vector().isAtOrBefore(watch.position().vector())) {
        Optional<Change> change = watch.poll(Duration.ofMillis(20));
        changes += change.isPresent() ? 1 : 0;
      }
    }
    return changes;
  }

  @Test
  void reachesTheSnapshotEachTime() throws InterruptedException {
    StoreOptions options = StoreOptions.defaults().withPartitions(4);
    for (int opening = 1; opening <= 2; opening++) {
      try (Store store = Stablecut.open(directory.resolve("data"), options)) {
        store.update(KEY.increment());
        for (int i = 0; i < 4; i++) {
          assertThat(changesUpToNow(store)).isEqualTo(opening);
          assertThat(store.readLatest(KEY)).isEqualTo(opening);
        }
      }
    }
  }
}
