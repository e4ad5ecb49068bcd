package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.RecordFormat;
import io.github.stablecut.journal.segment.RecordNumbers;
import io.github.stablecut.journal.segment.RecoveredLog;
import io.github.stablecut.journal.segment.StoredRecord;
import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The last group of a log that was not closed: damaged, or partly written. */
final class DroppedTailTest {
  private static final int LENGTH_AT = 8;

  /** Several sectors of 512 bytes. */
  private static final String LAST = "x".repeat(2_000);

  private final TestDisk.InMemory disk = new TestDisk.InMemory();
  private int segment;
  private int start;
  private byte[] intact = {};

  private void write() throws IOException {
    OpenJournal journal = disk.openJournal();
    journal.commit("one");
    PendingRecord last = journal.commit(LAST).get(0);
    segment = Position.segment(last.position());
    start = Position.offset(last.position());
    intact = Arrays.copyOf(disk.contents(segment), start + 8_192);
  }

  /** Whether the journal reports a dropped tail that may have been acknowledged. */
  private boolean reportsDroppedTail(byte[] contents) throws IOException {
    LossySegments store = new LossySegments();
    store.replace(segment, contents);
    List<StoredRecord> recovered = new ArrayList<>();
    int[] notifications = {0};
    GroupListener listener =
        new GroupListener() {
          @Override
          public void tailDropped() {
            notifications[0]++;
          }

          @Override
          public void durable(List<PendingRecord> group) {}

          @Override
          public void failed(List<PendingRecord> group, JournalFailedException failure) {}
        };
    RecoveredLog log =
        Recovery.run(store, OpenJournal.OPTIONS, recovered::add, new RecordNumbers(), listener);
    assertThat(log.nextRecord()).isEqualTo(recovered.size() + 1);
    assertThat(recovered).extracting(OpenJournal::text).startsWith("one");
    assertThat(notifications[0]).isLessThanOrEqualTo(1);
    assertThat(recovered.size() == 1 || notifications[0] == 0).isTrue();
    return notifications[0] == 1;
  }

  @Test
  void aFlippedBitInTheLastRecordMayBeDamage() throws IOException {
    write();

    for (int at = start; at < start + RecordFormat.BODY_AT + LAST.length(); at++) {
      boolean isOfLength = at >= start + LENGTH_AT && at < start + LENGTH_AT + Integer.BYTES;
      byte[] damaged = intact.clone();
      damaged[at] ^= (byte) (1 << at % 8);

      assertThat(isOfLength || reportsDroppedTail(damaged))
          .as("a bit of byte %d", at - start)
          .isTrue();
    }
  }

  @Test
  void garbageInPlaceOfTheLastRecordMayBeDamage() throws IOException {
    write();
    byte[] damaged = intact.clone();
    Arrays.fill(damaged, start, start + RecordFormat.BODY_AT + LAST.length(), (byte) 0xA5);

    assertThat(reportsDroppedTail(damaged)).isTrue();
  }

  @Test
  void aWriteWithoutASectorWasInterrupted() throws IOException {
    write();
    int end = start + RecordFormat.BODY_AT + LAST.length();

    for (int sector = (start / 512 + 1) * 512; sector < end; sector += 512) {
      byte[] torn = intact.clone();
      Arrays.fill(torn, sector, sector + 512, (byte) 0);
      assertThat(reportsDroppedTail(torn)).as("without the sector at %d", sector).isFalse();

      Arrays.fill(torn, sector, end, (byte) 0);
      assertThat(reportsDroppedTail(torn)).as("zero from %d on", sector).isFalse();
    }
  }

  @Test
  void nothingIsReportedForAnIntactOrEmptyTail() throws IOException {
    write();

    assertThat(reportsDroppedTail(intact)).isFalse();
    Arrays.fill(intact, start, intact.length, (byte) 0);
    assertThat(reportsDroppedTail(intact)).isFalse();
  }
}
