package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.RecordFormat;
import io.github.stablecut.journal.segment.RecordNumbers;
import io.github.stablecut.journal.segment.RecoveredLog;
import io.github.stablecut.journal.segment.StoredRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Protocol, scenario 27: the last record is torn at any byte, and later ones stay readable. */
abstract class TornTailContract {
  private static final String LAST = "the last record, which is torn";

  private static final int CRASH_AGAIN_EACH = 6;

  abstract TestDisk newDisk() throws IOException;

  private int lastSegment;
  private byte[] intact = {};
  private int lastStart;
  private int tears;

  /** Two acknowledged records, and one being written at the crash. */
  private TestDisk crashed() throws IOException {
    TestDisk disk = newDisk();
    OpenJournal journal = disk.openJournal();
    journal.commit("one", "two");
    PendingRecord last = journal.append(LAST);
    journal.journal.writeGroup();
    lastSegment = Position.segment(last.position());
    lastStart = Position.offset(last.position());
    intact =
        Arrays.copyOf(disk.contents(lastSegment), lastStart + RecordFormat.BODY_AT + LAST.length());
    return disk;
  }

  @Test
  void dropsALastRecordThatIsCutOffAtAnyByte() throws IOException {
    TestDisk disk = crashed();

    for (int end = lastStart; end < intact.length; end++) {
      check(disk, Arrays.copyOf(intact, end));
    }
  }

  @Test
  void dropsALastRecordThatIsZeroFromAnyByteOn() throws IOException {
    TestDisk disk = crashed();

    for (int end = lastStart; end < intact.length; end++) {
      byte[] zeroed = Arrays.copyOf(intact, intact.length + 8192);
      Arrays.fill(zeroed, end, intact.length, (byte) 0);
      check(disk, zeroed);
    }
  }

  @Test
  void dropsALastRecordWhoseBeginningIsMissing() throws IOException {
    TestDisk disk = crashed();

    for (int begin = lastStart + 1; begin < intact.length; begin++) {
      byte[] zeroed = intact.clone();
      Arrays.fill(zeroed, lastStart, begin, (byte) 0);
      check(disk, zeroed);
    }
  }

  @Test
  void keepsACompleteLastRecord() throws IOException {
    TestDisk disk = crashed();

    try (OpenJournal journal = disk.openJournal()) {
      assertThat(journal.recoveredBodies()).containsExactly("one", "two", LAST);
    }
  }

  /** Opens after the tear, and for some tears crashes again and again. */
  private void check(TestDisk disk, byte[] torn) throws IOException {
    TestDisk copy = newDisk();
    for (int segment : disk.segments()) {
      copy.replace(segment, segment == lastSegment ? torn : disk.contents(segment));
    }
    if (tears++ % CRASH_AGAIN_EACH != 0) {
      List<StoredRecord> recovered = new ArrayList<>();
      RecoveredLog log =
          Recovery.run(
              copy.open(),
              OpenJournal.OPTIONS,
              recovered::add,
              new RecordNumbers(),
              GroupListener.NOBODY);
      assertThat(log.nextSequence()).isEqualTo(4);
      assertThat(recovered).extracting(OpenJournal::text).containsExactly("one", "two");
      return;
    }

    OpenJournal second = copy.openJournal();
    assertThat(second.recoveredBodies()).containsExactly("one", "two");
    second.commit("three");
    OpenJournal third = copy.openJournal();
    assertThat(third.recoveredBodies()).containsExactly("one", "two", "three");
    third.commit("four");
    try (OpenJournal fourth = copy.openJournal()) {
      assertThat(fourth.recoveredBodies()).isEqualTo(List.of("one", "two", "three", "four"));
      assertThat(fourth.journal.status().epoch()).isEqualTo(4);
    }
  }
}
