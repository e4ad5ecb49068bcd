package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Opening a store in a process that may not create files of the size of a segment. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class FileSizeLimitTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");

  @TempDir Path directory;

  /** Opens a store and prints why that failed. */
  static final class Opener {
    private Opener() {}

    public static void main(String[] args) {
      try (Store store = Stablecut.open(Path.of(args[0]))) {
        System.out.println("opened at " + store.snapshot().token());
      } catch (JournalFailedException e) {
        System.out.println("refused: " + e.getMessage());
      }
    }
  }

  @Test
  void isAnErrorWithTheReasonAndTheFile() throws Exception {
    try (Store store = Stablecut.open(directory)) {
      store.update(COUNTER.increment());
    }
    // Blocks of 512 or 1,024 bytes, depending on the shell.
    ProcessBuilder opening =
        ChildJvm.builder(JvmFlags.all(), Opener.class, directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    opening.command().addAll(0, List.of("sh", "-c", "ulimit -f 4000 && exec \"$@\"", "sh"));

    Process child = opening.start();

    assertThat(ChildJvm.lines(child, Integer.MAX_VALUE))
        .singleElement()
        .asString()
        .startsWith("refused: journal of partition 0 can't be opened: segment ")
        .contains("File too large");
    assertThat(child.waitFor()).isZero();
    try (Store store = Stablecut.open(directory)) {
      assertThat(store.read(COUNTER)).isEqualTo(1);
    }
  }
}
