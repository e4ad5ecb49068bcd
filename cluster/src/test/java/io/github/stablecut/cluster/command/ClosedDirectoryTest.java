package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that open a directory leave the past to the program that it belongs to. */
final class ClosedDirectoryTest {
  private static final CounterKey KEY = Key.counter("b", "k");
  private static final StoreOptions OWNERS =
      StoreOptions.defaults()
          .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ofDays(7)));

  @TempDir private Path directory;

  @Test
  void whatTheOwnerKeepsIsThereAfterACommandThatMakesACheckpoint() {
    Path data = directory.resolve("data");
    Instant yesterday = Instant.now().minus(Duration.ofDays(1));
    CausalToken first;
    try (Store store = Stablecut.open(data, OWNERS.withClock(() -> yesterday))) {
      first = store.update(KEY.increment());
      store.update(KEY.increment());
      store.checkpoint();
    }
    try (Store store = Stablecut.open(data, OWNERS)) {
      store.update(KEY.increment());
    }

    try (Store store = ClosedDirectory.open(data)) {
      store.checkpoint();
    }

    try (Store store = Stablecut.open(data, OWNERS)) {
      assertThat(store.at(first).read(KEY)).isEqualTo(1);
      assertThat(store.read(KEY)).isEqualTo(3);
    }
  }
}
