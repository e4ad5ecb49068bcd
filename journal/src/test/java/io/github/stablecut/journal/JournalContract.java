package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.StoredRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The behaviour of a journal on any store. */
abstract class JournalContract {
  abstract TestDisk disk();

  private OpenJournal open() throws IOException {
    return disk().openJournal();
  }

  @Test
  void recoversCommittedRecordsInOrder() throws IOException {
    try (OpenJournal first = open()) {
      first.commit("one", "two", "three");
    }

    try (OpenJournal second = open()) {
      assertThat(second.recoveredBodies()).containsExactly("one", "two", "three");
      assertThat(second.recovered).extracting(StoredRecord::kind).containsOnly((byte) 1);
    }
  }

  @Test
  void recoversRecordsOfSeveralRuns() throws IOException {
    List<String> written = new ArrayList<>();
    for (int run = 0; run < 5; run++) {
      try (OpenJournal journal = open()) {
        assertThat(journal.recoveredBodies()).isEqualTo(written);
        journal.commit("run " + run);
        written.add("run " + run);
      }
    }
  }

  @Test
  void readsARecordAtItsPosition() throws IOException {
    try (OpenJournal journal = open()) {
      List<PendingRecord> records = journal.commit("one", "", "three");

      assertThat(records)
          .extracting(r -> OpenJournal.text(journal.journal.read(r.position())))
          .containsExactly("one", "", "three");
    }
  }

  @Test
  void recoversARecordThatEndsInZeros() throws IOException {
    PendingRecord zeros = new PendingRecord((byte) 1, new byte[1_000_000], 1_000_000);
    OpenJournal killed = open();
    killed.journal.append(zeros);
    killed.journal.flushGroup();

    try (OpenJournal journal = open()) {
      assertThat(journal.recovered).hasSize(1);
      assertThat(journal.recovered.get(0).body()).isEqualTo(new byte[1_000_000]);
    }
  }

  @Test
  void keepsPositionsAcrossARestart() throws IOException {
    PendingRecord record;
    try (OpenJournal first = open()) {
      record = first.commit("one", "two").get(1);
    }

    try (OpenJournal second = open()) {
      assertThat(second.recovered.get(1).position()).isEqualTo(record.position());
      assertThat(second.recovered.get(1).sequence()).isEqualTo(record.sequence());
      assertThat(OpenJournal.text(second.journal.read(record.position()))).isEqualTo("two");
    }
  }

  @Test
  void commitsQueuedRecordsAsOneGroup() throws IOException {
    try (OpenJournal journal = open()) {
      journal.append("one");
      journal.append("two");
      journal.append("three");
      journal.journal.flushGroup();

      assertThat(journal.groupSizes).containsExactly(3);
      assertThat(journal.journal.status().syncs()).isEqualTo(1);
    }
  }

  @Test
  void theNextGroupSyncsUnsyncedRecords() throws IOException {
    try (OpenJournal journal = open()) {
      journal.append("one");
      journal.journal.writeGroup();
      assertThat(journal.journal.status().syncedSequence()).isEqualTo(1);

      journal.journal.flushGroup();

      assertThat(journal.journal.status().syncedSequence()).isEqualTo(2);
    }
  }

  @Test
  void raisesTheEpochAtEachOpen() throws IOException {
    for (int run = 1; run <= 3; run++) {
      try (OpenJournal journal = open()) {
        assertThat(journal.journal.status().epoch()).isEqualTo(run);
      }
    }
  }

  @Test
  void beginsANewSegmentWhenOneIsFull() throws IOException {
    List<String> bodies = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      bodies.add("record " + i);
    }
    try (OpenJournal journal = open()) {
      journal.commit(bodies.toArray(new String[0]));
      assertThat(journal.journal.status().segments()).hasSizeGreaterThan(2);
    }

    try (OpenJournal journal = open()) {
      assertThat(journal.recoveredBodies()).isEqualTo(bodies);
    }
  }

  @Test
  void splitsOneGroupAcrossSegments() throws IOException {
    List<String> bodies = new ArrayList<>();
    try (OpenJournal journal = open()) {
      for (int i = 0; i < 300; i++) {
        bodies.add("record " + i);
        journal.append("record " + i);
      }
      journal.journal.flushGroup();
      assertThat(journal.journal.status().segments()).hasSizeGreaterThan(2);
      assertThat(journal.committed)
          .extracting(r -> OpenJournal.text(journal.journal.read(r.position())))
          .isEqualTo(bodies);
    }

    try (OpenJournal journal = open()) {
      assertThat(journal.recoveredBodies()).isEqualTo(bodies);
    }
  }

  @Test
  void splitsALargeRecordIntoFragments() throws IOException {
    byte[] large = new byte[3_500_000];
    new Random(1).nextBytes(large);
    PendingRecord record = new PendingRecord((byte) 9, large, large.length);
    try (OpenJournal journal = open()) {
      journal.commit("before");
      journal.journal.append(record);
      journal.append("after");
      journal.journal.flushGroup();

      assertThat(journal.journal.read(record.position()).body()).isEqualTo(large);
    }

    try (OpenJournal journal = open()) {
      assertThat(journal.recovered).hasSize(3);
      assertThat(journal.recovered.get(1).body()).isEqualTo(large);
      assertThat(journal.recovered.get(1).kind()).isEqualTo((byte) 9);
      assertThat(journal.recovered.get(1).position()).isEqualTo(record.position());
      assertThat(journal.journal.read(record.position()).body()).isEqualTo(large);
    }
  }

  @Test
  void refusesARecordAboveTheLimitBeforeAnythingIsWritten() throws IOException {
    try (OpenJournal journal =
        new OpenJournal(disk().open(), OpenJournal.OPTIONS.withMaxRecordBytes(10))) {
      assertThatThrownBy(() -> journal.append("eleven byte"))
          .isInstanceOf(RecordTooLargeException.class)
          .hasMessageContaining("11")
          .hasMessageContaining("10");
      assertThatThrownBy(() -> journal.journal.ensureWritable(11))
          .isInstanceOf(RecordTooLargeException.class);
      assertThat(journal.journal.flushGroup()).isZero();
    }
  }

  @Test
  void scansFromAPosition() throws IOException {
    try (OpenJournal journal = open()) {
      List<PendingRecord> records = journal.commit(bodies(200));
      List<String> scanned = new ArrayList<>();

      journal.journal.scan(records.get(120).position(), r -> scanned.add(OpenJournal.text(r)));

      assertThat(scanned).isEqualTo(List.of(bodies(200)).subList(120, 200));
    }
  }

  @Test
  void scansCommittedRecordsOnly() throws IOException {
    try (OpenJournal journal = open()) {
      journal.commit("one");
      journal.append("two");
      List<String> scanned = new ArrayList<>();

      journal.journal.scan(0, r -> scanned.add(OpenJournal.text(r)));

      assertThat(scanned).containsExactly("one");
    }
  }

  @Test
  void dropsWholeSegments() throws IOException {
    int kept;
    List<String> rest;
    try (OpenJournal journal = open()) {
      List<PendingRecord> records = journal.commit(bodies(300));
      kept = Position.segment(records.get(200).position());
      rest =
          records.stream()
              .filter(r -> Position.segment(r.position()) >= kept)
              .map(r -> OpenJournal.text(journal.journal.read(r.position())))
              .toList();

      journal.journal.dropSegmentsBefore(kept);

      assertThat(journal.journal.status().segments().get(0).number()).isEqualTo(kept);
      journal.commit(bodies(200));
    }
    try (OpenJournal journal = open()) {
      assertThat(journal.recoveredBodies().subList(0, rest.size())).isEqualTo(rest);
      assertThat(journal.recovered).hasSize(rest.size() + 200);
    }
  }

  @Test
  void keepsSegmentsOfAViewUntilItIsClosed() throws IOException {
    try (OpenJournal journal = open()) {
      PendingRecord first = journal.commit("first").get(0);
      journal.journal.roll();
      PendingRecord second = journal.commit("second").get(0);
      int segment = Position.segment(second.position());
      List<String> scanned = new ArrayList<>();
      try (JournalView view = journal.journal.view()) {
        journal.journal.dropSegmentsBefore(segment);

        assertThat(OpenJournal.text(view.read(first.position()))).isEqualTo("first");
        view.scan(0, stored -> scanned.add(OpenJournal.text(stored)));
      }
      assertThat(scanned).containsExactly("first", "second");

      try (JournalView later = journal.journal.view()) {
        journal.journal.dropSegmentsBefore(segment);
        assertThat(OpenJournal.text(later.read(first.position()))).isEqualTo("first");
      }
      journal.journal.dropSegmentsBefore(segment);
      try (JournalView later = journal.journal.view()) {
        assertThat(OpenJournal.text(later.read(second.position()))).isEqualTo("second");
        assertThatThrownBy(() -> later.read(first.position()))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  @Test
  void refusesToReadAtAPositionWithoutRecord() throws IOException {
    try (OpenJournal journal = open()) {
      PendingRecord dropped = journal.commit("dropped").get(0);
      journal.journal.roll();
      PendingRecord kept = journal.commit("kept").get(0);
      journal.journal.dropSegmentsBefore(Position.segment(kept.position()));

      assertThatThrownBy(() -> journal.journal.read(dropped.position()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("dropped");
      assertThatThrownBy(() -> journal.journal.read(Position.of(999, 0)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(
              () -> journal.journal.read(Position.of(Position.segment(kept.position()), 1 << 30)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void neverDropsTheSegmentBeingWritten() throws IOException {
    try (OpenJournal journal = open()) {
      journal.commit("one");

      journal.journal.dropSegmentsBefore(Integer.MAX_VALUE);

      assertThat(journal.journal.status().segments()).hasSize(1);
      journal.commit("two");
    }
    try (OpenJournal journal = open()) {
      assertThat(journal.recoveredBodies()).containsExactly("one", "two");
    }
  }

  @Test
  void commitsQueuedRecordsWhenItIsClosed() throws IOException {
    OpenJournal journal = open();
    journal.append("queued");
    journal.close();
    journal.close();

    assertThat(journal.committed).hasSize(1);
    assertThatThrownBy(() -> journal.append("late")).isInstanceOf(JournalClosedException.class);
    assertThatThrownBy(() -> journal.journal.ensureWritable(1))
        .isInstanceOf(JournalClosedException.class);
    try (OpenJournal second = open()) {
      assertThat(second.recoveredBodies()).containsExactly("queued");
    }
  }

  static String[] bodies(int count) {
    String[] bodies = new String[count];
    for (int i = 0; i < count; i++) {
      bodies[i] = "record " + i;
    }
    return bodies;
  }
}
