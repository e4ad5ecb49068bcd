package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.RecordFormat;
import io.github.stablecut.journal.segment.RecordNumbers;
import io.github.stablecut.journal.segment.RecoveredLog;
import io.github.stablecut.journal.segment.StoredRecord;
import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Protocol, scenario 28: a flipped bit in acknowledged data is refused or harmless. */
final class DamageTest {
  /** The distance of flips within the zeros that Chronicle leaves before the first frame. */
  private static final int ZEROS_STEP = 64;

  private static final List<String> BODIES = List.of("one", "two", "three", "four", "five");

  @TempDir Path directory;

  @Test
  void aFlippedBitAnywhereInMemoryIsRefusedOrHarmless() throws IOException {
    TestDisk.InMemory disk = new TestDisk.InMemory();
    writeTo(disk);

    assertThat(flipEveryByte(disk)).isGreaterThan(BODIES.size() * RecordFormat.BODY_AT);
  }

  @ParameterizedTest
  @EnumSource
  void aFlippedBitAnywhereInFilesIsRefusedOrHarmless(SegmentLayout layout) throws IOException {
    try (TestDisk.OnFiles disk = new TestDisk.OnFiles(directory, layout)) {
      writeTo(disk);

      assertThat(flipEveryByte(disk)).isGreaterThan(BODIES.size() * RecordFormat.BODY_AT);
    }
  }

  /** Writes several chunks, one with two records, and closes cleanly: all are acknowledged. */
  private static void writeTo(TestDisk disk) throws IOException {
    try (OpenJournal journal = disk.openJournal()) {
      journal.commit("one", "two", "three");
      journal.append("four");
      journal.append("five");
      journal.journal.flushGroup();
    }
  }

  /**
   * Flips one bit of each byte in turn.
   *
   * @return the number of flips that were refused
   */
  private static int flipEveryByte(TestDisk disk) throws IOException {
    int refused = 0;
    int segment = disk.segments().get(0);
    byte[] good = disk.contents(segment);
    for (int at = 0; at < good.length; at += step(good, at)) {
      byte[] bad = good.clone();
      bad[at] ^= (byte) (1 << at % 8);
      LossySegments damaged = new LossySegments();
      damaged.replace(segment, bad);
      if (!recoversAll(damaged, segment)) {
        refused++;
      }
    }
    return refused;
  }

  private static int step(byte[] good, int at) {
    boolean zeros = true;
    for (int i = at; i < Math.min(at + ZEROS_STEP, good.length); i++) {
      zeros &= good[i] == 0;
    }
    return zeros ? ZEROS_STEP : 1;
  }

  private static boolean recoversAll(LossySegments damaged, int segment) throws IOException {
    List<StoredRecord> recovered = new ArrayList<>();
    try {
      RecoveredLog log =
          Recovery.run(
              damaged,
              OpenJournal.OPTIONS,
              recovered::add,
              new RecordNumbers(),
              GroupListener.NOBODY);
      assertThat(log.segments()).hasSize(1);
    } catch (CorruptJournalException e) {
      assertThat(e).hasMessageContaining("segment " + segment).hasMessageContaining("offset");
      return false;
    }
    assertThat(recovered).extracting(OpenJournal::text).isEqualTo(BODIES);
    return true;
  }

  @Test
  void aFlippedBitInASealedSegmentIsRefused() throws IOException {
    TestDisk.InMemory disk = new TestDisk.InMemory();
    PendingRecord last = disk.openJournal().commit("one", "two").get(1);
    disk.openJournal().close();
    int segment = Position.segment(last.position());
    byte[] bytes = disk.contents(segment);
    bytes[Position.offset(last.position()) + RecordFormat.BODY_AT] ^= 1;
    disk.replace(segment, bytes);

    assertThatThrownBy(disk::openJournal)
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContaining("segment " + segment)
        .hasMessageContaining("offset " + Position.offset(last.position()))
        .hasMessageContaining("sequence " + last.sequence());
  }

  @Test
  void readingARecordWithADamagedBodyIsRefused() throws IOException {
    TestDisk.InMemory disk = new TestDisk.InMemory();
    LossySegments store = disk.open();
    OpenJournal journal = new OpenJournal(store);
    PendingRecord record = journal.commit("one").get(0);
    int segment = Position.segment(record.position());
    byte[] bytes = store.contents(segment);
    bytes[Position.offset(record.position()) + RecordFormat.BODY_AT] ^= 1;
    store.replace(segment, bytes);

    assertThatThrownBy(() -> journal.journal.read(record.position()))
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContaining("offset " + Position.offset(record.position()));
    assertThatThrownBy(() -> journal.journal.scan(0, stored -> {}))
        .isInstanceOf(CorruptJournalException.class);
  }
}
