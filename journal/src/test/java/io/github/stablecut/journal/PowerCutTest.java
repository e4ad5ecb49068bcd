package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cuts the power of a real file system under a real process. Only this reveals a missing sync of a
 * file or directory, because the page cache survives {@code kill -9}.
 */
@Tag("long")
final class PowerCutTest {
  private static final int CUTS = 5;
  private static final int UNENDING = 10_000_000;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void everythingAcknowledgedSurvivesAPowerCut(SegmentLayout layout) throws Exception {
    try (LoopDisk disk = new LoopDisk(directory, 256)) {
      Path journal = disk.mount().resolve("journal");
      Acknowledged acknowledged = new Acknowledged();
      int next = 0;
      for (int cut = 0; cut < CUTS; cut++) {
        appendUntilKilled(layout, journal, next, acknowledged);
        disk.cutPower();

        Path copy = directory.resolve("after cut " + cut);
        disk.copy(journal, copy);
        next = acknowledged.checkAgainst(copy);
      }
      assertThat(acknowledged.count()).isGreaterThanOrEqualTo(CUTS * 3_000);
    }
  }

  private static void appendUntilKilled(
      SegmentLayout layout, Path journal, int first, Acknowledged acknowledged) throws Exception {
    Process child =
        ChildJvm.start(
            ChildJvm.command(
                layout,
                AppendingMain.class,
                journal.toString(),
                "4",
                "" + first,
                "" + UNENDING,
                "0"));
    try (BufferedReader output = ChildJvm.outputOf(child)) {
      assertThat(acknowledged.read(output, 3_000)).isTrue();
      assertThat(child.toHandle().destroyForcibly()).isTrue();
      acknowledged.readRest(output);
    } finally {
      child.destroyForcibly().waitFor();
    }
  }
}
