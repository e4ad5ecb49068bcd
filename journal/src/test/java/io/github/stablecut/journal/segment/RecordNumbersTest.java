package io.github.stablecut.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.OpenJournal;
import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.testing.LossySegments;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Record numbers have no gaps, and survive reopening, crashes and truncation. */
final class RecordNumbersTest {
  /** Large records begin in one segment and end in another. */
  private static final JournalOptions SMALL_SEGMENTS =
      OpenJournal.OPTIONS.withSegmentBytes(3 << 20).withMaxRecordBytes(16 << 20);

  private LossySegments disk = new LossySegments();

  private OpenJournal open() {
    return new OpenJournal(disk, SMALL_SEGMENTS);
  }

  /** The records from a number on, as {@code 7: body}. */
  private static List<String> from(Journal journal, long number) {
    List<String> read = new ArrayList<>();
    journal.scanNumbers(
        number,
        (of, record) -> {
          String body = OpenJournal.text(record);
          read.add(of + ": " + (body.length() > 20 ? body.length() : body));
          return true;
        });
    return read;
  }

  private static String large(int megabytes) {
    return "x".repeat(megabytes << 20);
  }

  @Test
  void recordsAreNumberedFromOneAcrossOpenings() {
    try (OpenJournal journal = open()) {
      assertThat(journal.journal.nextRecord()).isEqualTo(1);
      assertThat(journal.commit("one", "two"))
          .extracting(PendingRecord::number)
          .containsExactly(1L, 2L);
      assertThat(journal.journal.nextRecord()).isEqualTo(3);
    }
    disk = disk.afterKill();
    try (OpenJournal journal = open()) {
      assertThat(journal.commit("three")).extracting(PendingRecord::number).containsExactly(3L);

      assertThat(from(journal.journal, 1)).containsExactly("1: one", "2: two", "3: three");
      assertThat(from(journal.journal, 3)).containsExactly("3: three");
      assertThat(from(journal.journal, 4)).isEmpty();
      assertThatThrownBy(() -> from(journal.journal, 5))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> from(journal.journal, 0))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aRecordInSeveralFramesHasOneNumber() {
    try (OpenJournal journal = open()) {
      journal.commit("one", large(5), "three", large(4), "five");
    }
    disk = disk.afterKill();
    try (OpenJournal journal = open()) {
      journal.commit("six");

      assertThat(from(journal.journal, 2))
          .containsExactly("2: " + (5 << 20), "3: three", "4: " + (4 << 20), "5: five", "6: six");
    }
  }

  @Test
  void numbersStayWhenOlderSegmentsAreDropped() {
    try (OpenJournal journal = open()) {
      List<PendingRecord> records = journal.commit("one", large(5), "three", large(5), "five");
      journal.journal.dropSegmentsBefore(Position.segment(records.get(2).position()));

      assertThat(journal.journal.firstRecord()).isEqualTo(3);
      assertThat(from(journal.journal, 3)).contains("3: three", "5: five");
      assertThatThrownBy(() -> from(journal.journal, 2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("record 2 was dropped")
          .hasMessageContaining("the oldest is 3");
    }
    disk = disk.afterKill();
    try (OpenJournal journal = open()) {
      assertThat(journal.journal.nextRecord()).isEqualTo(6);
      assertThat(from(journal.journal, 5)).containsExactly("5: five");
    }
  }

  @Test
  void aTornRecordGivesItsNumberToTheNext() {
    Random random = new Random(1);
    for (int round = 0; round < 200; round++) {
      disk = new LossySegments();
      long whole;
      try (OpenJournal journal = open()) {
        journal.commit("one", "two");
        journal.append(large(1 + random.nextInt(6)));
        journal.journal.writeGroup();
        double kept = random.nextDouble();
        disk = disk.afterPowerCut((segment, page) -> random.nextDouble() < kept);
      }
      try (OpenJournal journal = open()) {
        whole = journal.recovered.size();
        journal.commit("next");

        assertThat(journal.journal.nextRecord()).isEqualTo(whole + 2);
        assertThat(from(journal.journal, whole + 1)).containsExactly((whole + 1) + ": next");
      }
      disk = disk.afterKill();
      try (OpenJournal journal = open()) {
        assertThat(from(journal.journal, whole + 1)).containsExactly((whole + 1) + ": next");
      }
    }
  }

  @Test
  void anyRecordOfManyIsFound() {
    int records = 5 * RecordNumbers.STEP + 17;
    try (OpenJournal journal = open()) {
      for (int number = 1; number <= records; number++) {
        journal.append("r" + number);
      }
      journal.journal.flushGroup();
    }
    disk = disk.afterKill();
    try (OpenJournal journal = open()) {
      Random random = new Random(2);
      for (int i = 0; i < 50; i++) {
        long wanted = 1L + random.nextInt(records);
        String[] found = {""};
        journal.journal.scanNumbers(
            wanted,
            (number, record) -> {
              found[0] = number + " " + OpenJournal.text(record);
              return false;
            });
        assertThat(found[0]).isEqualTo(wanted + " r" + wanted);
      }
    }
  }

  private static Map.Entry<Long, Long> entry(long number, int offset) {
    return Map.entry(number, Position.of(1, offset));
  }

  @Test
  void aReaderContinuesAtTheLastRecordReadUnlessItWasCutOff() {
    RecordNumbers numbers = new RecordNumbers();
    numbers.add(1, Position.of(1, 64));
    numbers.add(2, Position.of(1, 128));
    numbers.add(3, Position.of(1, 192));
    int cuts = numbers.cuts();
    assertThat(numbers.floor(4)).isEqualTo(entry(1, 64));

    numbers.noteRead(3, Position.of(1, 192), cuts);

    assertThat(numbers.floor(4)).isEqualTo(entry(3, 192));
    assertThat(numbers.floor(3)).isEqualTo(entry(3, 192));
    assertThat(numbers.floor(2)).isEqualTo(entry(1, 64));

    numbers.cut(3);
    // A reader that began before the cut.
    numbers.noteRead(3, Position.of(1, 192), cuts);

    assertThat(numbers.floor(4)).isEqualTo(entry(1, 64));
  }

  @Test
  void everyLargeRecordIsNearAKnownOne() {
    RecordNumbers numbers = new RecordNumbers();
    int bytes = 64 << 10;
    for (int i = 0; i < 100; i++) {
      numbers.add(1 + i, Position.of(1, 64 + i * bytes));
    }

    for (int i = 0; i < 100; i++) {
      long near = Objects.requireNonNull(numbers.floor(1 + i)).getValue();
      int offset = Position.offset(near);
      assertThat(64 + i * bytes - offset).isBetween(0, RecordNumbers.STEP_BYTES - bytes);
    }
  }

  @Test
  void aFollowedLogIsReadRecordByRecord() {
    try (OpenJournal journal = open()) {
      for (int number = 1; number <= 300; number++) {
        String text = number % 7 == 0 ? large(1) : "r" + number;
        journal.commit(text);
        assertThat(from(journal.journal, number))
            .containsExactly(number + ": " + (number % 7 == 0 ? "" + (1 << 20) : text));
      }
      assertThat(from(journal.journal, 1)).hasSize(300);
    }
  }

  @Test
  void aRecordInADroppedSegmentIsNotMistakenForALaterOne() {
    try (OpenJournal journal = open()) {
      long first = journal.commit("one").get(0).position();
      PendingRecord kept = journal.commit(large(5), "three").get(1);
      journal.journal.dropSegmentsBefore(Position.segment(kept.position()));

      // As if its position had been looked up before the drop.
      assertThatThrownBy(() -> journal.journal.scan(first, record -> {}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("segment 1 was dropped");
    }
  }
}
