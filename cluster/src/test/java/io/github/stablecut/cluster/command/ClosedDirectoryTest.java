package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.internal.recovery.StoreDirectory;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that open a directory keep the history that its owner retains. */
final class ClosedDirectoryTest {
  private static final CounterKey KEY = Key.counter("b", "k");
  private static final StoreOptions OWNER_OPTIONS =
      StoreOptions.defaults()
          .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ofDays(7)));

  @TempDir private Path directory;

  @Test
  void aCheckpointOfACommandKeepsTheOwnersHistory() throws IOException {
    Path data = directory.resolve("data");
    Instant yesterday = Instant.now().minus(Duration.ofDays(1));
    CausalToken first;
    try (Store store = Stablecut.open(data, OWNER_OPTIONS.withClock(() -> yesterday))) {
      first = store.update(KEY.increment());
      store.update(KEY.increment());
      store.checkpoint();
    }
    try (Store store = Stablecut.open(data, OWNER_OPTIONS)) {
      store.update(KEY.increment());
    }

    try (Store store = ClosedDirectory.open(data)) {
      store.checkpoint();
    }

    try (Store store = Stablecut.open(data, OWNER_OPTIONS)) {
      assertThat(store.at(first).read(KEY)).isEqualTo(1);
      assertThat(store.read(KEY)).isEqualTo(3);
    }
  }

  @Test
  void theDirectoryOfARunningNodeIsInUse() throws IOException {
    Files.createFile(directory.resolve("NODE"));

    assertThatThrownBy(() -> ClosedDirectory.open(directory))
        .isInstanceOf(NotAStoreException.class)
        .hasMessageContaining("belongs to a node of a cluster");

    Files.write(
        directory.resolve(StoreDirectory.OPERATORS),
        List.of("http://127.0.0.1:3001", "0".repeat(64)));

    assertThatThrownBy(() -> ClosedDirectory.open(directory))
        .isInstanceOf(StoreInUseException.class)
        .hasMessageContaining("belongs to a node of a cluster");
  }
}
