package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints change nothing for readers of the past. */
class CheckpointTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final int CHECKPOINTS = 4;
  private static final int COMMITS = 3;

  @TempDir Path directory;

  private Store open(CacheOptions cache) {
    return Stablecut.open(
        directory.resolve("data"),
        StoreOptions.defaults()
            .withCache(cache)
            .withCheckpoints(CheckpointPolicy.byCall().withEndlessRetention()));
  }

  /** Snapshots between checkpoints need effects that only history files reach. */
  @Test
  void readsSnapshotsBetweenCheckpointsAlsoAfterReopening() {
    List<CausalToken> tokens = new ArrayList<>();
    try (Store store = open(CacheOptions.off())) {
      for (int checkpoint = 0; checkpoint < CHECKPOINTS; checkpoint++) {
        for (int commit = 0; commit < COMMITS; commit++) {
          tokens.add(store.update(COUNTER.increment()));
        }
        store.checkpoint();
      }
      checkAll(store, tokens);
    }
    try (Store store = open(CacheOptions.objects(100))) {
      checkAll(store, tokens);
    }
  }

  /** The journal of a store that is always opened only briefly must not grow without bound. */
  @Test
  void recordsOfEarlierProcessesCountForTheNextCheckpoint() {
    StoreOptions options =
        StoreOptions.defaults()
            .withCheckpoints(CheckpointPolicy.byCall().withEffects(COMMITS * 2L));
    for (int life = 0; life < 2; life++) {
      try (Store store = Stablecut.open(directory.resolve("data"), options)) {
        for (int commit = 0; commit < COMMITS; commit++) {
          store.update(COUNTER.increment());
        }
        while (life == 1 && store.status().checkpoints().runs() == 0) {
          Thread.onSpinWait();
        }
      }
    }
  }

  /** Otherwise only a process with much memory could open a store of many objects. */
  @Test
  void keepsNothingOfALargeCheckpointInMemory() {
    int objects = 201_000;
    int perTransaction = 1_000;
    CausalToken first;
    try (Store store = open(CacheOptions.off())) {
      first = store.update(COUNTER.increment());
      for (int i = 0; i < objects; i += perTransaction) {
        Update[] updates = new Update[perTransaction];
        for (int j = 0; j < perTransaction; j++) {
          updates[j] = Key.counter("many", "" + (i + j)).increment();
        }
        store.update(updates);
      }
      store.update(COUNTER.increment());
      store.checkpoint();
      assertThat(store.status().memory().objects()).isZero();
      assertThat(store.at(first).read(COUNTER)).isEqualTo(1);
    }
    try (Store store = open(CacheOptions.off())) {
      assertThat(store.status().memory().objects()).isZero();
      assertThat(store.at(first).read(COUNTER)).isEqualTo(1);
      assertThat(store.at(first).read(Key.counter("many", "7"))).isZero();
      assertThat(store.read(COUNTER)).isEqualTo(2);
      assertThat(store.read(Key.counter("many", "200999"))).isEqualTo(1);
    }
  }

  private static void checkAll(Store store, List<CausalToken> tokens) {
    for (int i = 0; i < tokens.size(); i++) {
      assertThat(store.at(tokens.get(i)).read(COUNTER)).as("after commit %s", i).isEqualTo(i + 1L);
    }
  }
}
