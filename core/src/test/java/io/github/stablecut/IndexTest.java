package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The options of the index change how soon effects are folded, and never the values. */
class IndexTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");

  @TempDir Path directory;

  private Store open(IndexOptions index) {
    return Stablecut.open(
        directory.resolve("data"),
        StoreOptions.defaults()
            .withIndex(index)
            .withCheckpoints(CheckpointPolicy.byCall().withEndlessRetention()));
  }

  private static long cachedObjects(Store store) {
    return store.status().memory().cache().get(0).objects();
  }

  private static void increment(Store store, int times) {
    for (int i = 0; i < times; i++) {
      store.update(COUNTER.increment());
    }
  }

  @Test
  void foldsALongListOfEffectsBeforeAnyRead() {
    try (Store store = open(IndexOptions.defaults().withFoldAfter(10))) {
      increment(store, 9);
      assertThat(cachedObjects(store)).isZero();
      increment(store, 1);
      // The committer is acknowledged first.
      while (cachedObjects(store) == 0) {
        Thread.onSpinWait();
      }

      assertThat(store.read(COUNTER)).isEqualTo(10);
      assertThat(store.status().memory().misses())
          .as("folded once, not by the reader")
          .isEqualTo(1);
    }
  }

  @Test
  void leavesALongListToTheReaderIfConfigured() {
    try (Store store = open(IndexOptions.defaults().withFoldAfter(0))) {
      increment(store, 200);

      assertThat(cachedObjects(store)).isZero();
      assertThat(store.read(COUNTER)).isEqualTo(200);
    }
  }

  /** With and without an index in turn, across checkpoints and restarts. */
  @Test
  void aStoreMayBeOpenedWithAndWithoutAnIndex() {
    List<CausalToken> tokens = new ArrayList<>();
    for (int open = 0; open < 4; open++) {
      try (Store store = open(open % 2 == 0 ? IndexOptions.off() : IndexOptions.defaults())) {
        for (int commit = 0; commit < 3; commit++) {
          tokens.add(store.update(COUNTER.increment()));
          store.checkpoint();
        }
        tokens.add(store.update(COUNTER.increment()));
        for (int i = 0; i < tokens.size(); i++) {
          assertThat(store.at(tokens.get(i)).read(COUNTER)).isEqualTo(i + 1L);
        }
      }
    }
  }
}
