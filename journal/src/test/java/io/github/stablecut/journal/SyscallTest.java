package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operating system is really asked to sync, as strace sees it. */
final class SyscallTest {
  private static final int RECORDS = 50;

  @TempDir Path directory;

  @Test
  void aLoneAppendIsAcknowledgedAfterASyncOfItsOwn() throws Exception {
    assertThat(syncs(1)).isGreaterThanOrEqualTo(RECORDS);
  }

  @Test
  void appendsOfSeveralThreadsShareSyncs() throws Exception {
    assertThat(syncs(8)).isBetween(1L, 8L * RECORDS - 1);
  }

  /** The calls of fdatasync by a process whose threads append some records each. */
  private long syncs(int threads) throws Exception {
    boolean canTrace = ChildJvm.isInstalled("strace");
    if (!canTrace) {
      System.err.println("SKIPPED: strace is missing, so no test watches the syncs");
    }
    assumeTrue(canTrace, "strace is missing");
    Path trace = directory.resolve("trace");
    List<String> command = new ArrayList<>();
    command.addAll(List.of("strace", "-f", "-qq", "-e", "trace=fdatasync,fsync,msync"));
    command.addAll(List.of("-o", trace.toString()));
    command.addAll(
        ChildJvm.command(
            AppendingMain.class,
            directory.resolve("journal").toString(),
            "" + threads,
            "0",
            "" + RECORDS,
            "0"));
    assertThat(ChildJvm.run(command)).contains("done").contains("exit code 0");
    try (Stream<String> lines = Files.lines(trace)) {
      return lines.filter(line -> line.contains("fdatasync(")).count();
    }
  }
}
