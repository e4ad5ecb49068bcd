package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.SegmentStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Segments that are plain files, with a header of our own. */
final class FileSegmentsTest extends SegmentFilesContract {
  private static final String HEADER = "stablecut-segment v1 0000000001 ";
  private static final int HEADER_BYTES = 64;

  @Override
  SegmentLayout layout() {
    return SegmentLayout.FILES;
  }

  @Override
  String nameOf(int segment) {
    return "%010d.seg".formatted(segment);
  }

  /** A directory with one segment, which was closed. */
  @CanIgnoreReturnValue
  private byte[] written() throws IOException {
    try (OpenJournal journal = open()) {
      journal.commit("one", "two");
    }
    return Files.readAllBytes(segment());
  }

  private static byte[] withHeader(byte[] good, String facts) {
    CRC32C crc = new CRC32C();
    crc.update(facts.getBytes(StandardCharsets.US_ASCII));
    byte[] header =
        "%s %08x\n".formatted(facts, (int) crc.getValue()).getBytes(StandardCharsets.US_ASCII);
    byte[] bytes = good.clone();
    Arrays.fill(bytes, 0, HEADER_BYTES, (byte) 0);
    System.arraycopy(header, 0, bytes, 0, header.length);
    return bytes;
  }

  @Test
  void aFileBeginsWithItsVersionAndNumber() throws IOException {
    byte[] bytes = written();

    assertThat(new String(bytes, 0, HEADER_BYTES, StandardCharsets.US_ASCII)).startsWith(HEADER);
    assertThat(bytes).isEqualTo(withHeader(bytes, HEADER.strip()));
    assertThat(fileNames()).containsExactly("0000000001.seg", "NEWEST");
  }

  @Test
  void aHeaderWithAnyFlippedBitIsRefusedInWords() throws IOException {
    byte[] good = written();
    Path file = segment();

    for (int bit = 0; bit < HEADER_BYTES * Byte.SIZE; bit++) {
      byte[] bad = good.clone();
      bad[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      Files.write(file, bad);

      assertThatThrownBy(this::open)
          .as("bit %d", bit)
          .isInstanceOf(CorruptJournalException.class)
          .hasMessageContainingAll(
              "segment 1",
              file.toString(),
              "the header of the file is damaged",
              "nothing was changed");
      assertThat(file).hasBinaryContent(bad);
    }
    Files.write(file, good);
    try (OpenJournal journal = open()) {
      assertThat(journal.recoveredBodies()).containsExactly("one", "two");
    }
  }

  @Test
  void aHeaderDamagedAfterALaterOpeningIsRefused() throws IOException {
    written();
    open().close();
    Path sealed = segment();
    byte[] bad = Files.readAllBytes(sealed);
    bad[HEADER.indexOf('1')] = '2';
    Files.write(sealed, bad);

    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContainingAll(sealed.toString(), "stablecut-segment v2");
  }

  @Test
  void aFileOfANewerVersionIsRefusedAndLeftAlone() throws IOException {
    byte[] newer = withHeader(written(), "stablecut-segment v2 0000000001");
    Path file = segment();
    Files.write(file, newer);

    assertThatThrownBy(this::open)
        .isInstanceOf(JournalVersionException.class)
        .hasMessageContainingAll(
            "segment 1", "layout version 2", "reads up to 1", "use a newer program");
    assertThat(file).hasBinaryContent(newer);
    assertThatThrownBy(() -> ClosedJournal.in(directory).read(record -> {}, new Noting()))
        .isInstanceOf(JournalVersionException.class);
  }

  @Test
  void aFileOfAnotherSegmentIsRefused() throws IOException {
    Files.write(segment(), withHeader(written(), "stablecut-segment v1 0000000002"));

    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContainingAll("segment 1", "the header of the file is that of segment 2");
  }

  @Test
  void aVerificationReportsADamagedHeaderAndReadsOn() throws IOException {
    byte[] bad = written();
    bad[3] ^= 1;
    Files.write(segment(), bad);
    Noting noting = new Noting();
    List<String> read = new ArrayList<>();

    ClosedJournal.in(directory).read(record -> read.add(OpenJournal.text(record)), noting);

    assertThat(noting.damages).hasSize(1);
    assertThat(read).containsExactly("one", "two");
  }

  private static final class Noting implements JournalReadListener {
    final List<CorruptJournalException> damages = new ArrayList<>();

    @Override
    public void damaged(CorruptJournalException damage) {
      damages.add(damage);
    }

    @Override
    public void torn(String message, boolean mayBeDamage) {}
  }

  /** What a power failure leaves of a file whose creation was not synced. */
  @Test
  void aSegmentThatWasBeingCreatedIsDeleted() throws IOException {
    written();
    for (int left : List.of(0, 1, HEADER_BYTES, 4096, MEBIBYTE)) {
      Path next = directory.resolve(nameOf(highest() + 1));
      Files.write(next, new byte[left]);

      try (OpenJournal journal = open()) {
        assertThat(journal.recoveredBodies()).containsExactly("one", "two");
      }
      assertThat(Files.exists(directory.resolve("sealed").resolve(next.getFileName()))).isFalse();
    }
  }

  private int highest() throws IOException {
    return fileNames().stream()
        .mapToInt(name -> JournalDirectory.segmentOf(name.substring(name.indexOf('/') + 1)))
        .max()
        .orElse(0);
  }

  @Test
  void aSegmentWithTwoFilesIsRefused() throws IOException {
    written();
    Files.copy(segment(), directory.resolve("19700102S.cq4"));

    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContainingAll("segment 1 has two files", "0000000001.seg", "19700102S.cq4");
  }

  @Test
  void aFileGrowsByExtentsAndHasNoHole() throws IOException {
    JournalOptions options = OpenJournal.OPTIONS.withSegmentBytes(64 * MEBIBYTE);
    try (OpenJournal journal = new OpenJournal(store(options), options)) {
      for (int i = 0; i < 30; i++) {
        long position = journal.commit((i + " ").repeat(MEBIBYTE / 3)).get(0).position();
        long end = Position.offset(position) + 4L * MEBIBYTE;

        assertThat(Files.size(segment())).isLessThan(end);
        assertThat(OpenJournal.text(journal.journal.read(position))).startsWith(i + " ");
      }
      assertThat(journal.journal.status().segments()).hasSize(1);
    }
  }

  /** So a reader finds the next frame at once. */
  @Test
  void chunksOfSeveralExtentsAreContiguous() throws IOException {
    try (SegmentStore store = store()) {
      long next = store.create(1, new byte[100], 100) + 100;
      for (int i = 0; i < 100; i++) {
        assertThat(store.append(new byte[50_000], 50_000)).isEqualTo(next);
        next += 50_000;
      }
    }
  }

  @Test
  void noThreadIsLeftBehind() throws IOException {
    int before = Thread.getAllStackTraces().size();
    try (OpenJournal journal = open()) {
      journal.commit("one");
    }

    assertThat(Thread.getAllStackTraces().size()).isLessThanOrEqualTo(before);
  }
}
