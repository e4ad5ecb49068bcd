package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The system calls of a journal, as strace sees them. */
final class SyscallTest {
  private static final int RECORDS = 50;
  private static final int EPOCHS = 20;
  private static final int SMALL_RECORDS = 5_000;

  private static final Pattern READ_OF_SEGMENT = Pattern.compile("\\.(?:cq4|seg)>.* = ([0-9]+)$");

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void aSingleAppendIsAcknowledgedAfterItsOwnSync(SegmentLayout layout) throws Exception {
    assertThat(syncs(layout, 1)).isGreaterThanOrEqualTo(RECORDS);
  }

  @ParameterizedTest
  @EnumSource
  void appendsOfSeveralThreadsShareSyncs(SegmentLayout layout) throws Exception {
    assertThat(syncs(layout, 8)).isBetween(1L, 8L * RECORDS - 1);
  }

  /**
   * Each epoch of a partition with replicas begins a segment, and a replica is unavailable while it
   * reopens its journal.
   */
  @ParameterizedTest
  @EnumSource
  void anOpenAfterAKillDoesNotReadTheZerosOfManyEpochs(SegmentLayout layout) throws Exception {
    Path journal = directory.resolve("journal");
    assertThat(ChildJvm.run(ChildJvm.command(layout, KilledProcess.class, journal.toString())))
        .contains("exit code 9");

    Path trace = trace(layout, "pread64,read", OpeningProcess.class, journal.toString());

    long reads = 0;
    long bytes = 0;
    for (String line : Files.readAllLines(trace)) {
      Matcher read = READ_OF_SEGMENT.matcher(line);
      if (read.find()) {
        reads++;
        bytes += Long.parseLong(read.group(1));
      }
    }
    assertThat(reads).isBetween((long) EPOCHS, 400L);
    assertThat(bytes).isBetween(1L, 32L << 20);
  }

  /** Writes some segments of the usual size, and ends as if killed. */
  static final class KilledProcess {
    public static void main(String[] args) throws Exception {
      OpenJournal journal = OpeningProcess.open(args[0]);
      for (int i = 0; i < SMALL_RECORDS; i++) {
        journal.append("x".repeat(i % 500));
      }
      journal.journal.flushGroup();
      for (int epoch = 0; epoch < EPOCHS; epoch++) {
        journal.commit("epoch " + epoch);
        journal.journal.roll();
      }
      Runtime.getRuntime().halt(9);
    }
  }

  /** Opens the journal that {@link KilledProcess} left. */
  static final class OpeningProcess {
    public static void main(String[] args) throws Exception {
      try (OpenJournal journal = open(args[0])) {
        boolean isWhole = journal.recovered.size() == SMALL_RECORDS + EPOCHS;
        System.out.println(isWhole ? "done" : "records are missing");
      }
    }

    static OpenJournal open(String directory) throws IOException {
      return new OpenJournal(
          JournalDirectory.open(Path.of(directory), OpenJournal.OPTIONS), OpenJournal.OPTIONS);
    }
  }

  /** The number of fdatasync calls of a process whose threads append some records each. */
  private long syncs(SegmentLayout layout, int threads) throws Exception {
    Path trace =
        trace(
            layout,
            "fdatasync,fsync,msync",
            AppendingMain.class,
            directory.resolve("journal").toString(),
            "" + threads,
            "0",
            "" + RECORDS,
            "0");
    try (Stream<String> lines = Files.lines(trace)) {
      return lines.filter(line -> line.contains("fdatasync(")).count();
    }
  }

  /** Traces the system calls of a program, with the paths of their files. */
  private Path trace(SegmentLayout layout, String calls, Class<?> main, String... arguments)
      throws Exception {
    boolean canTrace = ChildJvm.isInstalled("strace");
    if (!canTrace) {
      System.err.println("SKIPPED: strace is missing, so no test watches system calls");
    }
    assumeTrue(canTrace, "strace is missing");
    Path trace = directory.resolve("trace");
    List<String> command = new ArrayList<>();
    command.addAll(List.of("strace", "-f", "-y", "-qq", "-s", "0", "-e", "trace=" + calls));
    command.addAll(List.of("-o", trace.toString()));
    command.addAll(ChildJvm.command(layout, main, arguments));
    assertThat(ChildJvm.run(command)).contains("done").contains("exit code 0");
    return trace;
  }
}
