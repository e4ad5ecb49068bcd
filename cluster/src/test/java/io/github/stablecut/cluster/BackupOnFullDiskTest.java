package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.remote.SmallDisk;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.journal.DiskFullException;
import io.github.stablecut.key.Key;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A backup of an embedded store to a full disk fails, the store continues, and the backup can be
 * repeated.
 */
final class BackupOnFullDiskTest {
  private static final int MIB = 1 << 20;

  @TempDir private Path directory;

  @Test
  void reportsAFullDiskAndSucceedsOnceThereIsSpace() throws IOException {
    try (SmallDisk disk = new SmallDisk(directory.resolve("small"), 8);
        Store store = Stablecut.open(directory.resolve("data"))) {
      for (int i = 0; i < 40; i++) {
        store.update(Key.register("b", "" + i, Codec.string()).assign("x".repeat(50_000)));
      }
      Path backup = disk.directory("backup");
      disk.leave(MIB);

      assertThatThrownBy(() -> store.backup(backup))
          .isInstanceOf(DiskFullException.class)
          .hasMessageContaining(backup.toString())
          .hasMessageContaining("was deleted");
      assertThat(backup).doesNotExist();
      CausalToken last = store.update(Key.counter("b", "c").increment());

      disk.free();
      assertThat(last.vector().isAtOrBefore(store.backup(backup).vector())).isTrue();
      assertThat(backup).isNotEmptyDirectory();
    }
  }
}
