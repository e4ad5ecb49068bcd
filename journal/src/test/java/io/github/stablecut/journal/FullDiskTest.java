package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Fills a real file system with a real process. */
@Tag("long")
final class FullDiskTest {
  private static final int UNENDING = 10_000_000;
  private static final int DISK_MEBIBYTES = 16;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void withAReserveAppendsAreRefusedCleanly(SegmentLayout layout) throws Exception {
    assertThat(fill(layout, 4 << 20)).isEqualTo(AppendingMain.FULL);
  }

  @ParameterizedTest
  @EnumSource
  void withoutTheSpaceCheckTheJournalFailsButLosesNothingAcknowledged(SegmentLayout layout)
      throws Exception {
    assertThat(fill(layout, AppendingMain.NO_SPACE_CHECK)).isEqualTo(AppendingMain.FAILED);
  }

  private int fill(SegmentLayout layout, int reserveBytes) throws Exception {
    try (LoopDisk disk = new LoopDisk(directory, DISK_MEBIBYTES)) {
      Path journal = disk.mount().resolve("journal");
      Acknowledged acknowledged = new Acknowledged();
      Process child =
          ChildJvm.start(
              ChildJvm.command(
                  layout,
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
