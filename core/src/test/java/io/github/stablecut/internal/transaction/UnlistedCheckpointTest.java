package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.tools.ToolProgress;
import io.github.stablecut.tools.Verification;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints of objects whose effects the index does not list. */
final class UnlistedCheckpointTest {
  private static final CounterKey CHANGED = Key.counter("b", "changed");
  private static final CounterKey UNCHANGED = Key.counter("b", "unchanged");
  private static final CounterKey NEW = Key.counter("b", "new");

  @TempDir private Path directory;

  @Test
  void aCheckpointBelowTheLastCommitRecordsTheLastChangeOfEachObject() {
    StoreOptions options =
        StoreOptions.defaults()
            .withIndex(IndexOptions.off())
            .withCheckpoints(CheckpointPolicy.byCall());
    try (EmbeddedStore store = (EmbeddedStore) Stablecut.open(directory, options)) {
      store.update(CHANGED.increment(), UNCHANGED.increment());
      store.checkpoint();
      VectorClock chosen = store.update(CHANGED.increment()).vector();
      store.update(CHANGED.increment(), UNCHANGED.increment(), NEW.increment());

      try (Maintenance.Pause pause = store.partitions().local().get(0).maintenance().pause();
          CheckpointView view = pause.checkpointAt(chosen)) {
        assertThat(view.manifest().checkpointTime()).isEqualTo(chosen);
        assertThat(view.find(CHANGED.id(), chosen).map(RunEntry::lastCommitTime))
            .isEqualTo(Optional.of(chosen.max()));
        assertThat(view.find(NEW.id(), chosen)).isEmpty();
      }
      assertThat(store.read(CHANGED)).isEqualTo(3);
      assertThat(store.read(UNCHANGED)).isEqualTo(2);
      assertThat(store.read(NEW)).isEqualTo(1);
    }

    assertThat(Verification.run(directory, Verification.Depth.FULL, ToolProgress.NONE).damages())
        .isEmpty();
  }
}
