package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.RecordFormat;
import io.github.stablecut.journal.segment.RecordNumbers;
import io.github.stablecut.journal.segment.RecoveredLog;
import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** How an open treats the segments that it finds ({@link RecordFormat}). */
final class RecoveryTest {
  private LossySegments disk = new LossySegments();

  @CanIgnoreReturnValue
  private OpenJournal reopenAfterKill() {
    disk = disk.afterKill();
    return open(OpenJournal.OPTIONS);
  }

  private OpenJournal reopenAfterPowerCut() {
    disk = disk.afterPowerCut((segment, page) -> false);
    return open(OpenJournal.OPTIONS);
  }

  @CanIgnoreReturnValue
  private OpenJournal open(JournalOptions options) {
    return new OpenJournal(disk, options.withSegmentBytes(TestDisk.SEGMENT_BYTES));
  }

  @Test
  void recordsServedAfterAKillSurviveAPowerCut() {
    OpenJournal first = reopenAfterKill();
    first.append("not synced");
    first.journal.writeGroup();

    OpenJournal second = reopenAfterKill();
    assertThat(second.recoveredBodies()).containsExactly("not synced");

    assertThat(reopenAfterPowerCut().recoveredBodies()).containsExactly("not synced");
  }

  @Test
  void cutOffRecordsNeverReturn() throws IOException {
    OpenJournal first = reopenAfterKill();
    first.commit("one");
    PendingRecord torn = first.append("two, torn");
    first.append("three, after it");
    first.journal.writeGroup();
    int segment = Position.segment(torn.position());
    byte[] whole = disk.contents(segment);
    byte[] damaged = whole.clone();
    damaged[Position.offset(torn.position())] ^= 1;
    disk = disk.afterKill();
    disk.replace(segment, damaged);
    OpenJournal second = open(OpenJournal.OPTIONS);
    assertThat(second.recoveredBodies()).containsExactly("one");
    second.commit("four");

    disk = disk.afterKill();
    disk.replace(segment, whole);
    OpenJournal third = open(OpenJournal.OPTIONS);

    assertThat(third.recoveredBodies()).containsExactly("one", "four");
  }

  /** Each fragment has its own segment, so the calls are create, append, force, create, … */
  @Test
  void aRecordWithoutItsLastFragmentsIsCutOffCompletely() throws IOException {
    for (int call = 1; call <= 8; call++) {
      disk = new LossySegments();
      OpenJournal first = reopenAfterKill();
      first.commit("one");
      disk.failOnce(call);
      byte[] large = new byte[3 << 20];
      first.journal.append(new PendingRecord((byte) 1, large, large.length));
      first.journal.flushGroup();
      assertThat(first.failed).hasSize(1);

      // Killed after the rest was cut off.
      disk = disk.afterKill();
      RecoveredLog cut =
          Recovery.run(
              disk, OpenJournal.OPTIONS, record -> {}, new RecordNumbers(), GroupListener.NOBODY);
      assertThat(cut.segments()).hasSize(disk.segments().size());
      OpenJournal second = reopenAfterKill();
      assertThat(second.recoveredBodies()).containsExactly("one");
      second.commit("two");

      assertThat(reopenAfterPowerCut().recoveredBodies()).containsExactly("one", "two");
    }
  }

  @Test
  void aHalfCreatedSegmentIsDeletedAndItsNumberIsNotReused() {
    reopenAfterKill().commit("one");
    disk = disk.afterKill();
    disk.replace(2, new byte[5000]);

    OpenJournal journal = open(OpenJournal.OPTIONS);

    assertThat(journal.recoveredBodies()).containsExactly("one");
    assertThat(disk.segments()).containsExactly(1, 3);
  }

  @Test
  void aMissingSegmentInTheMiddleIsRefusedByName() {
    reopenAfterKill().commit("one");
    reopenAfterKill().commit("two");
    reopenAfterKill().commit("three");
    disk = disk.afterKill();
    disk.lose(2);

    assertThatThrownBy(this::reopenAfterKill)
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContaining("segment 3 continues segment 2")
        .hasMessageContaining("segment 1");
  }

  @Test
  void aMissingNewestSegmentIsRefusedByName() {
    reopenAfterKill().commit("one");
    reopenAfterKill().commit("two");
    disk = disk.afterKill();
    disk.lose(2);

    assertThatThrownBy(this::reopenAfterKill)
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContaining("segment 2 is missing, but was the newest");
  }

  @Test
  void aJournalThatLostAllItsSegmentsIsRefused() {
    reopenAfterKill().commit("one");
    disk = disk.afterKill();
    disk.lose(1);

    assertThatThrownBy(this::reopenAfterKill)
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContaining("segment 1 is missing");
  }

  @Test
  void aNewestSegmentWithoutAHeaderIsRefused() {
    reopenAfterKill().commit("one");
    reopenAfterKill().commit("two");
    disk = disk.afterKill();
    disk.replace(2, new byte[5000]);

    assertThatThrownBy(this::reopenAfterKill)
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContaining("segment 2 has no valid frame, but was the newest");
  }

  @Test
  void aMissingFirstSegmentIsRefusedIfItIsNeeded() {
    reopenAfterKill().commit("one");
    reopenAfterKill().commit("two");
    disk = disk.afterKill();
    disk.lose(1);

    assertThatThrownBy(() -> open(OpenJournal.OPTIONS.withFirstSegment(1)))
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContaining("segment 1 is missing");
  }

  @Test
  void segmentsThatAreNotNeededAreDeletedUnread() {
    reopenAfterKill().commit("one");
    reopenAfterKill().commit("two");
    disk = disk.afterKill();
    disk.replace(1, new byte[10]);

    OpenJournal journal = open(OpenJournal.OPTIONS.withFirstSegment(2));

    assertThat(journal.recoveredBodies()).containsExactly("two");
    assertThat(disk.segments()).containsExactly(2, 3);
  }

  @Test
  void aRefusedOpenChangesNothing() {
    reopenAfterKill().commit("one");
    reopenAfterKill().commit("two");
    reopenAfterKill().commit("three");
    byte[] bytes = disk.contents(2);
    bytes[bytes.length - 2] ^= 1;
    disk = disk.afterKill();
    disk.replace(2, bytes);
    disk.replace(4, new byte[100]);

    assertThatThrownBy(() -> open(OpenJournal.OPTIONS.withFirstSegment(2)))
        .isInstanceOf(CorruptJournalException.class);

    assertThat(disk.segments()).containsExactly(1, 2, 3, 4);
    assertThat(disk.contents(2)).isEqualTo(bytes);
  }

  @Test
  void anEmptySegmentBeforeOthersIsRefused() {
    reopenAfterKill().commit("one");
    reopenAfterKill().commit("two");
    disk = disk.afterKill();
    disk.replace(1, new byte[100]);

    assertThatThrownBy(this::reopenAfterKill)
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContaining("segment 1 has no valid frame");
  }

  @Test
  void aDamagedHeaderIsRefused() {
    reopenAfterKill().commit("one");
    byte[] bytes = disk.contents(1);
    bytes[10] ^= 1;
    disk = disk.afterKill();
    disk.replace(1, bytes);

    assertThatThrownBy(this::reopenAfterKill)
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContaining("segment 1")
        .hasMessageContaining("header");
  }

  @Test
  void aSegmentUnderAnotherNumberIsRefused() {
    reopenAfterKill().commit("one");
    byte[] bytes = disk.contents(1);
    disk = new LossySegments();
    disk.replace(7, bytes);

    assertThatThrownBy(() -> open(OpenJournal.OPTIONS))
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContaining("segment 7 is segment 1");
  }

  @Test
  void aTornTailIsLoggedOnceWithTheFacts() {
    OpenJournal first = reopenAfterKill();
    first.commit("one");
    PendingRecord torn = first.append("two");
    first.journal.writeGroup();
    byte[] bytes = disk.contents(1);
    bytes[Position.offset(torn.position())] ^= 1;
    disk = disk.afterKill();
    disk.replace(1, bytes);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(Recovery.class);
    logger.addAppender(log);

    reopenAfterKill();
    logger.detachAppender(log);

    assertThat(log.list).hasSize(1);
    assertThat(log.list.get(0).getLevel()).isEqualTo(Level.WARN);
    assertThat(log.list.get(0).getFormattedMessage())
        .contains("sequence 3", "segment 1", "wrong checksum", "may have damaged");
  }

  @Test
  void anOrderlyEndIsNotLogged() {
    OpenJournal first = reopenAfterKill();
    first.commit("one");
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(Recovery.class);
    logger.addAppender(log);

    reopenAfterKill();
    logger.detachAppender(log);

    assertThat(log.list).isEmpty();
  }

  @Test
  void aNewerFormatIsRefusedWithBothVersions() {
    byte[] frame = new byte[64];
    byte[] body = new RecordFormat.SegmentHeader(1, 1, 0, 1, 0).toBytes();
    RecordFormat.Head head = new RecordFormat.Head(RecordFormat.HEADER, 3, body.length, 1, 0);
    int end = RecordFormat.write(frame, 0, head, body, 0);
    frame[7] = 3;
    CRC32C crc = new CRC32C();
    crc.update(frame, 4, RecordFormat.BODY_AT - 4 + body.length);
    ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putInt((int) crc.getValue());
    disk.replace(1, Arrays.copyOf(frame, end));

    assertThatThrownBy(() -> open(OpenJournal.OPTIONS))
        .isInstanceOf(JournalVersionException.class)
        .hasMessageContaining("version 3")
        .hasMessageContaining("up to 2");
  }

  @Test
  void theRecoveredTailIsForcedBeforeTheOpenReturns() {
    reopenAfterKill().commit("one");
    disk = disk.afterKill();
    int forcesBefore = disk.forces();

    open(OpenJournal.OPTIONS);

    assertThat(disk.forces() - forcesBefore).isEqualTo(1);
  }

  @Test
  void aChainOfManyOpensIsReadAtOnce() {
    for (int run = 0; run < 20; run++) {
      reopenAfterKill().commit("run " + run);
    }

    assertThat(reopenAfterKill().recoveredBodies()).hasSize(20).isEqualTo(runs(20));
  }

  private static List<String> runs(int count) {
    return IntStream.range(0, count).mapToObj(i -> "run " + i).toList();
  }
}
