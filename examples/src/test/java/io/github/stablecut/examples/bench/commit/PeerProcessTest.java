package io.github.stablecut.examples.bench.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Benchmarks of other systems run their rounds in processes of their own. */
final class PeerProcessTest {
  private static final long NANOS = 50_000_000;

  @TempDir Path directory;

  @Test
  void readsAndUpdatesRecordsWithASimulatedDiskLatency() throws Exception {
    try (PeerProcess peer =
        PeerProcess.start("records", RecordsPeer.command(directory, "group", 1, 20))) {
      peer.await();

      CommitRound updates = peer.target("update").run(2, 10, NANOS);
      assertThat(updates.commitsPerSecond()).isPositive();
      assertThat(updates.p50Micros()).isGreaterThan(19_000);
      assertThat(updates.syncsPerCommit()).isBetween(0.1, 1.0);
      assertThat(updates.commits()).isPositive();
      if (Files.isDirectory(Path.of("/proc/self/task"))) { // the writers sleep during the syncs
        assertThat(updates.costs().switches().voluntary()).isBetween(0.5, 1_000.0);
      }

      CommitRound reads = peer.target("select").run(2, 10, NANOS);
      assertThat(reads.commitsPerSecond()).isPositive();
      assertThat(reads.syncsPerCommit()).isZero();
    }
  }

  @Test
  void reportsAProcessThatEnds() throws Exception {
    try (PeerProcess peer = PeerProcess.start("nothing", List.of("false"))) {
      assertThatThrownBy(peer::await)
          .isInstanceOf(IOException.class)
          .hasMessage("the process of nothing exited with code 1: see its messages above");
    }
  }

  @Test
  void transfersFiguresExactlyAndKeepsUnknownOnes() {
    CommitRound round =
        new CommitRound(
            17,
            1234.5,
            0.1,
            1e7 / 3,
            Double.NaN,
            new CommitRound.Costs(17.25, 1e4 / 7, new ContextSwitches(1.5, 1e-9)));
    assertThat(CommitRound.ofLine(round.toLine())).isEqualTo(round);
  }
}
