package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scans of several pages see their snapshot, whatever checkpoints happen in between. */
final class ScanBesideCheckpointsTest {
  private static final int OBJECTS = 500;
  private static final CounterKey OTHER = Key.counter("other", "x");

  @TempDir private Path directory;

  private Store open(boolean listsEffects) {
    return Stablecut.open(
        directory.resolve("data"),
        StoreOptions.defaults()
            .withIndex(listsEffects ? IndexOptions.defaults() : IndexOptions.off()));
  }

  private static Update[] increments() {
    return IntStream.range(0, OBJECTS)
        .mapToObj(i -> Key.counter("b", "k%04d".formatted(i)).increment())
        .toArray(Update[]::new);
  }

  private static void checkpoints(Store store) {
    for (int i = 0; i < 3; i++) {
      store.update(OTHER.increment());
      store.checkpoint();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void objectsChangedAfterACheckpointHaveTheirNewValues(boolean listsEffects) {
    try (Store store = open(listsEffects)) {
      store.update(increments());
      store.checkpoint();
      store.update(increments());

      try (Pin pin = store.pin(store.snapshot().token());
          Scan scan = pin.scan()) {
        int found = 0;
        while (scan.hasNext()) {
          assertThat(scan.next().value()).isEqualTo(2L);
          if (found++ == 0) {
            checkpoints(store);
          }
        }
        assertThat(found).isEqualTo(OBJECTS);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void findsNewObjects(boolean listsEffects) {
    try (Store store = open(listsEffects)) {
      store.update(OTHER.increment());
      store.checkpoint();
      store.update(increments());

      for (ScanOptions range :
          new ScanOptions[] {ScanOptions.bucket("b"), ScanOptions.bucket("b").descending()}) {
        try (Transaction transaction = store.begin();
            Scan scan = transaction.scan(range)) {
          int found = 0;
          while (scan.hasNext()) {
            assertThat(scan.next().value()).isEqualTo(1L);
            if (found++ == 0) {
              checkpoints(store);
            }
          }
          assertThat(found).isEqualTo(OBJECTS);
        }
      }
    }
  }
}
