package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.journal.segment.ForwardingSegments;
import io.github.stablecut.journal.segment.RecordFormat;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A log is cut off before a record, whatever follows, and continues from there. */
final class JournalEndTest {
  private static final int RECORDS = 40;

  /** A few records fill a segment. */
  private static final JournalOptions OPTIONS = OpenJournal.OPTIONS.withSegmentBytes(4_096);

  private static String body(int number) {
    return number + " ".repeat(500);
  }

  private static List<String> bodies(int last) {
    return IntStream.rangeClosed(1, last).mapToObj(JournalEndTest::body).toList();
  }

  /** A log written in two openings, and never closed cleanly. */
  private static LossySegments written() {
    LossySegments disk = new LossySegments();
    OpenJournal first = new OpenJournal(disk, OPTIONS);
    for (int number = 1; number <= RECORDS / 2; number++) {
      first.commit(body(number));
    }
    first.journal.markSynced();
    LossySegments next = disk.afterKill();
    OpenJournal second = new OpenJournal(next, OPTIONS);
    for (int number = RECORDS / 2 + 1; number <= RECORDS; number++) {
      second.commit(body(number));
    }
    second.journal.markSynced();
    return next.afterKill();
  }

  @Test
  void itIsCutOffAnywhereAndContinues() {
    LossySegments disk = written();
    for (int end = 1; end <= RECORDS + 1; end++) {
      LossySegments cut = disk.afterKill();
      try (OpenJournal opened = new OpenJournal(cut, OPTIONS.withEnd(end))) {
        assertThat(opened.recoveredBodies()).isEqualTo(bodies(end - 1));
        assertThat(opened.journal.nextRecord()).isEqualTo(end);
        assertThat(opened.journal.nextAppended()).isEqualTo(end);
        opened.commit("after");
        assertThat(opened.journal.nextAppended()).isEqualTo(end + 1);
      }
      List<String> expected = new ArrayList<>(bodies(end - 1));
      expected.add("after");
      try (OpenJournal again = new OpenJournal(cut, OPTIONS)) {
        assertThat(again.recoveredBodies()).isEqualTo(expected);
      }
    }
  }

  /** The open that cuts the log off may fail at any write and be repeated. */
  @Test
  void itIsCutOffAgain() {
    LossySegments disk = written();
    for (int end = 1; end <= RECORDS; end++) {
      for (int fault = 1; fault <= 3; fault++) {
        LossySegments cut = disk.afterKill();
        cut.failOnce(fault);
        openAndKill(cut, end);
        LossySegments next = cut.afterPowerCut((segment, page) -> true);
        try (OpenJournal again = new OpenJournal(next, OPTIONS.withEnd(end))) {
          assertThat(again.recoveredBodies()).isEqualTo(bodies(end - 1));
        }
      }
    }
  }

  private static void openAndKill(LossySegments cut, int end) {
    try {
      OpenJournal opened = new OpenJournal(cut, OPTIONS.withEnd(end));
      opened.commit("never acknowledged");
    } catch (JournalFailedException fault) {
      // The next open repeats it.
    }
  }

  /** The remaining segments always continue each other. */
  @Test
  void itIsCutOffAgainIfNotAllLaterSegmentsWereDeleted() {
    for (int deletions = 0; deletions < 4; deletions++) {
      LossySegments cut = written();
      int[] left = {deletions};
      SegmentStore failing =
          new ForwardingSegments(cut) {
            @Override
            public void delete(int segment) throws IOException {
              if (left[0]-- == 0) {
                throw new IOException("injected fault in delete");
              }
              super.delete(segment);
            }
          };

      assertThatThrownBy(() -> new OpenJournal(failing, OPTIONS.withEnd(3)))
          .isInstanceOf(JournalFailedException.class);

      try (OpenJournal again = new OpenJournal(cut, OPTIONS.withEnd(3))) {
        assertThat(again.recoveredBodies()).isEqualTo(bodies(2));
      }
    }
  }

  @Test
  void aRecordInSeveralSegmentsIsKeptOrCutOffCompletely() {
    LossySegments disk = new LossySegments();
    OpenJournal written = new OpenJournal(disk, OPTIONS);
    String large = "x".repeat(3 * RecordFormat.FRAGMENT_BYTES);
    written.commit("one", large, "three");

    try (OpenJournal without = new OpenJournal(disk.afterKill(), OPTIONS.withEnd(2))) {
      assertThat(without.recoveredBodies()).containsExactly("one");
    }
    try (OpenJournal with = new OpenJournal(disk.afterKill(), OPTIONS.withEnd(3))) {
      assertThat(with.recoveredBodies()).containsExactly("one", large);
    }
  }

  @Test
  void recordsAfterTheEndMayBeLost() {
    LossySegments disk = new LossySegments();
    OpenJournal written = new OpenJournal(disk, OpenJournal.OPTIONS);
    written.commit("one", "two");
    for (int i = 0; i < 100; i++) {
      written.append(body(i));
    }
    written.journal.writeGroup();

    LossySegments left = disk.afterPowerCut((segment, page) -> page > 3);

    try (OpenJournal opened = new OpenJournal(left, OpenJournal.OPTIONS.withEnd(3))) {
      assertThat(opened.recoveredBodies()).containsExactly("one", "two");
    }
  }

  @Test
  void aLogThatEndsEarlierIsDamaged() {
    LossySegments disk = written();

    assertThatThrownBy(() -> new OpenJournal(disk, OPTIONS.withEnd(RECORDS + 2)))
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContaining("up to record " + (RECORDS + 1));
    assertThatThrownBy(() -> new OpenJournal(new LossySegments(), OPTIONS.withEnd(2)))
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContaining("has to end before record 2");
  }
}
