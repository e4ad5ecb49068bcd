package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.RecordFormat;
import io.github.stablecut.journal.segment.SegmentStore;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Parts of a file that can't be read, for which a missing end stands in: the kernel reports both
 * alike to a process that has mapped the file. The process must survive.
 */
final class UnreadableSegmentTest {
  private static final int BODY_BYTES = 300_000;

  @TempDir Path directory;

  /** Reads records of a segment whose end is missing, and prints what came of it. */
  static final class Reading {
    private Reading() {}

    public static void main(String[] args) throws Exception {
      Path directory = Path.of(args[0]);
      JournalOptions options = OpenJournal.OPTIONS;
      SegmentStore store = JournalDirectory.open(directory, options);
      OpenJournal journal = new OpenJournal(store, options);
      List<PendingRecord> records = journal.commit("a".repeat(BODY_BYTES), "b".repeat(BODY_BYTES));
      journal.journal.roll();
      journal.commit("c");
      read(journal, records);
      int end = Position.offset(records.get(1).position()) + RecordFormat.BODY_AT + 8_192;
      try (FileChannel file = FileChannel.open(first(directory), StandardOpenOption.WRITE)) {
        file.truncate(end);
      }

      report(() -> read(journal, records.subList(0, 1)));
      report(() -> read(journal, records.subList(1, 2)));
      report(() -> journal.journal.scan(0, stored -> {}));
      Runtime.getRuntime().halt(0);
    }

    private static void read(OpenJournal journal, List<PendingRecord> records) {
      for (PendingRecord record : records) {
        if (journal.journal.read(record.position()).body().length != BODY_BYTES) {
          throw new IllegalStateException("another body");
        }
      }
    }

    private static Path first(Path directory) throws IOException {
      try (Stream<Path> files = Files.list(directory)) {
        return files
            .filter(file -> JournalDirectory.segmentOf(file.getFileName().toString()) == 1)
            .findFirst()
            .orElseThrow();
      }
    }

    private static void report(Runnable reading) {
      try {
        reading.run();
        System.out.println("read");
      } catch (JournalFailedException e) {
        System.out.println("refused: " + e.getMessage());
      }
    }
  }

  /** The JVM's interpreter and its compilers access maps differently. */
  @ParameterizedTest
  @ValueSource(strings = {"-Xint", "-Xmixed"})
  void aReadOfAMapFailsAndTheProcessSurvives(String mode) throws Exception {
    List<String> command =
        ChildJvm.command(SegmentLayout.FILES, Reading.class, directory.toString());
    command.addAll(1, List.of(mode, "-XX:ErrorFile=" + directory.resolve("crash.log")));

    String output = ChildJvm.run(command);

    assertThat(output.lines())
        .as(output)
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo("read"),
            line -> assertThat(line).contains("refused: ", "the disk is full or has failed"),
            line -> assertThat(line).contains("refused: ", "the disk is full or has failed"),
            line -> assertThat(line).isEqualTo("exit code 0"));
  }
}
