package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups of stores whose files can't be hard-linked: they are on another disk, here in memory. */
final class BackupCopyTest {
  private static final CounterKey COUNTER = Key.counter("b", "k");

  @TempDir private Path temporary;

  @Test
  void copiesFilesThatCannotBeLinked() {
    Path backup = temporary.resolve("backup");
    Path data = temporary.resolve("data");
    StoreOptions options = StoreOptions.defaults().withLimits(LossyDisk.LIMITS);
    try (Store store = LossyDisk.empty().open(options)) {
      store.update(COUNTER.increment(3));
      store.checkpoint();
      store.update(COUNTER.increment(4));
      store.backup(backup);
    }

    Stablecut.restore(backup, data, BackupProgress.NONE);

    try (Store store = Stablecut.open(data)) {
      assertThat(store.read(COUNTER)).isEqualTo(7);
    }
  }
}
