package io.github.stablecut.examples.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.key.Key;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AnyStoreCountersTest {
  @TempDir Path directory;

  @Test
  void incrementsAndReadsCounters() {
    Path store = directory.resolve("store");
    AnyStoreCounters counters = new AnyStoreCounters(store, 2);
    counters.increment(1);
    counters.increment(1);
    assertThat(counters.read(0)).isZero();
    assertThat(counters.read(1)).isEqualTo(2);
    counters.close();

    try (Store opened = Stablecut.open(store)) {
      assertThat(opened.read(Key.counter("bench", "counter-1"))).isEqualTo(2);
    }
  }
}
