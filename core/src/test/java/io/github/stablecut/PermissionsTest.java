package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Only the owner of a store may read its files. */
final class PermissionsTest {
  private static final CounterKey COUNTER = Key.counter("b", "k");

  @TempDir private Path temporary;

  private static List<String> openToOthers(Path root) throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : (Iterable<Path>) all::iterator) {
        String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        if (!mode.equals(Files.isDirectory(path) ? "rwx------" : "rw-------")) {
          found.add(mode + " " + root.relativize(path));
        }
      }
    }
    return found;
  }

  @Test
  void allFilesOfAStoreAndItsBackupsAreReadableByTheirOwnerOnly() throws IOException {
    Path data = temporary.resolve("new/data");
    Path backup = temporary.resolve("new/backups/one");
    Path restored = temporary.resolve("restored");
    StoreOptions options =
        StoreOptions.defaults()
            .withPartitions(2)
            .withCheckpoints(
                CheckpointPolicy.byCall().withRetention(java.time.Duration.ofHours(1)));

    for (int run = 0; run < 2; run++) {
      try (Store store = Stablecut.open(data, options)) {
        for (int i = 0; i < 3; i++) {
          store.update(COUNTER.increment());
          store.checkpoint();
        }
        assertThat(openToOthers(temporary.resolve("new"))).isEmpty();
        if (run == 0) {
          store.backup(backup);
        }
      }
    }
    Stablecut.restore(backup, restored);

    assertThat(openToOthers(temporary.resolve("new"))).isEmpty();
    assertThat(openToOthers(restored)).isEmpty();
  }
}
