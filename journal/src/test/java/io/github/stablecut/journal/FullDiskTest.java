package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fills a real file system with a real process. */
@Tag("long")
final class FullDiskTest {
  private static final int UNENDING = 10_000_000;
  private static final int DISK_MEBIBYTES = 16;

  @TempDir Path directory;

  @Test
  void withAReserveAppendsAreRefusedCleanly() throws Exception {
    assertThat(fill(4 << 20)).isEqualTo(AppendingMain.FULL);
  }

  @Test
  void withoutTheSpaceCheckTheJournalFailsButLosesNothingAcknowledged() throws Exception {
    assertThat(fill(AppendingMain.NO_SPACE_CHECK)).isEqualTo(AppendingMain.FAILED);
  }

  private int fill(int reserveBytes) throws Exception {
    try (LoopDisk disk = new LoopDisk(directory, DISK_MEBIBYTES)) {
      Path journal = disk.mount().resolve("journal");
      Acknowledged acknowledged = new Acknowledged();
      Process child =
          ChildJvm.start(
              ChildJvm.command(
                  AppendingMain.class,
                  journal.toString(),
                  "4",
                  "0",
                  "" + UNENDING,
                  "" + reserveBytes));
      try (BufferedReader output = ChildJvm.outputOf(child)) {
        acknowledged.readRest(output);
      }
      int exitCode = child.waitFor();
      disk.cutPower();
      Path copy = directory.resolve("copy");
      disk.copy(journal, copy);

      assertThat(acknowledged.checkAgainst(copy)).isPositive();
      assertThat(acknowledged.count()).isGreaterThan(1_000);
      return exitCode;
    }
  }
}
