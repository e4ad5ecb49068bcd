package io.github.stablecut.checkpoint;

import static io.github.stablecut.checkpoint.Checkpoints.DELETED;
import static io.github.stablecut.checkpoint.Checkpoints.OPTIONS;
import static io.github.stablecut.checkpoint.Checkpoints.checkpoint;
import static io.github.stablecut.checkpoint.Checkpoints.find;
import static io.github.stablecut.checkpoint.Checkpoints.scan;
import static io.github.stablecut.checkpoint.Checkpoints.start;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The results of a store, and the contents of its directory. */
class CheckpointStoreTest {
  private final LossyDirectory directory = new LossyDirectory();

  @Test
  void findsTheNewestEntryAtOrBeforeASnapshot() throws IOException {
    try (CheckpointStore store = start(directory)) {
      checkpoint(store, 10, "a", "a10", "b", "b10");
      checkpoint(store, 20, "b", "b20", "c", "c20");

      assertThat(find(store, "a", 25)).contains("a10");
      assertThat(find(store, "b", 25)).contains("b20");
      assertThat(find(store, "b", 20)).contains("b20");
      assertThat(find(store, "b", 19)).contains("b10");
      assertThat(find(store, "c", 19)).isEmpty();
      assertThat(find(store, "a", 9)).isEmpty();
      assertThat(find(store, "d", 25)).isEmpty();
    }
  }

  @Test
  void findsADeletion() throws IOException {
    try (CheckpointStore store = start(directory)) {
      checkpoint(store, 10, "a", "a10", "b", "b10");
      checkpoint(store, 20, "a", DELETED);

      assertThat(find(store, "a", 20)).contains(DELETED);
      try (CheckpointView view = store.view()) {
        assertThat(scan(view, IdRange.all(), VectorClock.of(20)))
            .containsExactly(java.util.Map.entry(Bytes.utf8("b"), "b10"));
      }
    }
  }

  @Test
  void keepsEverythingAcrossAReopen() throws IOException {
    try (CheckpointStore store = start(directory)) {
      checkpoint(store, 10, "a", "a10");
    }

    try (CheckpointStore store = start(directory)) {
      assertThat(find(store, "a", 10)).contains("a10");
      assertThat(store.epoch()).isEqualTo(3);
      assertThat(directory.list())
          .isEqualTo(List.of("CURRENT", "MANIFEST-2", "MANIFEST-3", "run-1"));
    }
  }

  @Test
  void changesNothingBeforeItIsStarted() throws IOException {
    CheckpointStore.open(directory, OPTIONS, 1).close();

    assertThat(directory.operations()).isZero();
  }
}
