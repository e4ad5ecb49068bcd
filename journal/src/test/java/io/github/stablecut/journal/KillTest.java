package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kills a real process while several threads append. */
final class KillTest {
  private static final int KILLS = 3;
  private static final int UNENDING = 10_000_000;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void everythingAcknowledgedSurvivesKill9(SegmentLayout layout) throws Exception {
    Acknowledged acknowledged = new Acknowledged();
    int next = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      Process child =
          ChildJvm.start(
              ChildJvm.command(
                  layout,
                  AppendingMain.class,
                  directory.toString(),
                  "4",
                  "" + next,
                  "" + UNENDING,
                  "0"));
      try (BufferedReader output = ChildJvm.outputOf(child)) {
        assertThat(acknowledged.read(output, 2_000)).isTrue();
        boolean sent = child.toHandle().destroyForcibly();
        assertThat(sent).isTrue();
        acknowledged.readRest(output);
      } finally {
        child.destroyForcibly().waitFor();
      }

      next = acknowledged.checkAgainst(directory);
    }
    assertThat(acknowledged.count()).isGreaterThanOrEqualTo(KILLS * 2_000);
  }
}
