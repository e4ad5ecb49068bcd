package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.RecordFormat;
import io.github.stablecut.journal.segment.SegmentBytes;
import io.github.stablecut.journal.segment.SegmentView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Segments that are files of Chronicle Queue. */
final class ChronicleSegmentsTest extends SegmentFilesContract {
  /** The step by which a file grows. */
  private static final long STEP = 8 * MEBIBYTE;

  /** The most that Chronicle maps past a step, plus the longest extent. */
  private static final long MAX_OVERSHOOT = STEP / 4 + 2 * MEBIBYTE;

  @Override
  SegmentLayout layout() {
    return SegmentLayout.CHRONICLE;
  }

  @Override
  String nameOf(int segment) {
    return LocalDate.ofEpochDay(segment).format(DateTimeFormatter.BASIC_ISO_DATE) + "S.cq4";
  }

  @Test
  void filesOfEarlierRunsAreOutOfChroniclesReach() throws IOException {
    open().close();

    try (OpenJournal second = open()) {
      second.commit("one");
      assertThat(fileNames())
          .containsExactly("19700103S.cq4", "NEWEST", "metadata.cq4t", "sealed/19700102S.cq4");
    }
  }

  @Test
  void garbageInChroniclesMetadataIsIgnored() throws IOException {
    try (OpenJournal first = open()) {
      first.commit("one");
    }
    Files.write(directory.resolve("metadata.cq4t"), new byte[] {1, 2, 3, 4, 5, 6, 7, 8});

    try (OpenJournal second = open()) {
      assertThat(second.recoveredBodies()).containsExactly("one");
    }
  }

  @Test
  void aFileGrowsInStepsAndViewsOfItStayReadable() throws IOException {
    JournalOptions options = OpenJournal.OPTIONS.withSegmentBytes(64 * MEBIBYTE);
    try (OpenJournal journal = new OpenJournal(store(options), options)) {
      List<PendingRecord> records = new ArrayList<>(journal.commit("the first"));
      Path file = segment();
      assertThat(Files.size(file)).isLessThan(STEP + MAX_OVERSHOOT);
      try (SegmentView early = journal.store.view(Position.segment(records.get(0).position()))) {
        SegmentBytes bytes = early.bytes();

        for (int i = 0; i < 30; i++) {
          records.addAll(journal.commit((i + " ").repeat(MEBIBYTE / 3)));
          assertThat(Files.size(file))
              .isLessThan(Position.offset(records.get(i + 1).position()) + STEP + MAX_OVERSHOOT);
        }

        int at = Position.offset(records.get(0).position());
        assertThat(bytes.get(at + RecordFormat.BODY_AT)).isEqualTo((byte) 't');
      }
      assertThat(journal.journal.status().segments()).hasSize(1);
      assertThat(journal.store.allocatedBytes(1)).isGreaterThan(2 * STEP);
      for (int i = 0; i < 30; i++) {
        assertThat(OpenJournal.text(journal.journal.read(records.get(i + 1).position())))
            .startsWith(i + " ");
      }
    }
  }

  @Test
  void noThreadIsLeftBehindButChroniclesReleaser() throws IOException {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    try (OpenJournal journal = open()) {
      journal.commit("one");
    }

    Set<String> added =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> !before.contains(thread))
            .map(Thread::getName)
            .collect(Collectors.toSet());
    assertThat(added).isSubsetOf("background~resource~releaser", "Common-Cleaner");
  }
}
