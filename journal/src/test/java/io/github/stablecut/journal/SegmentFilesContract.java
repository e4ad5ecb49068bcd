package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.RecordFormat;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.segment.SegmentView;
import io.github.stablecut.journal.segment.StoredRecord;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behaviour of segments that are files, in any layout. */
abstract class SegmentFilesContract {
  static final int MEBIBYTE = 1 << 20;
  private static final JournalOptions OPTIONS = OpenJournal.OPTIONS.withSegmentBytes(MEBIBYTE);

  @TempDir Path directory;

  /** The layout of new segments. */
  abstract SegmentLayout layout();

  /** The name of the file of a segment. */
  abstract String nameOf(int segment);

  private Path file(int segment) {
    return directory.resolve(nameOf(segment));
  }

  final SegmentStore store() throws IOException {
    return store(OPTIONS);
  }

  final SegmentStore store(JournalOptions options) throws IOException {
    return JournalDirectory.open(directory, options.segmentBytes(), layout());
  }

  final OpenJournal open() throws IOException {
    return new OpenJournal(store(), OPTIONS);
  }

  final List<String> fileNames() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(Files::isRegularFile)
          .map(f -> directory.relativize(f).toString())
          .sorted()
          .toList();
    }
  }

  /** A second map would be cut by a deletion while a view of the first is open. */
  @Test
  void aReaderThatViewsASegmentAsItIsCreatedSharesItsMap() throws Exception {
    try (SegmentStore store = store()) {
      for (int segment = 1; segment <= 5; segment++) {
        int next = segment;
        CountDownLatch isReading = new CountDownLatch(1);
        CompletableFuture<SegmentView> reader =
            CompletableFuture.supplyAsync(() -> firstView(store, next, isReading));
        isReading.await();

        assertThat(store.create(next, new byte[] {1}, 1)).isNotNegative();

        try (SegmentView early = reader.get(30, TimeUnit.SECONDS);
            SegmentView later = store.view(next)) {
          assertThat(later).isSameAs(early);
          assertThat(early.bytes().length()).isPositive();
        }
      }
    }
  }

  private static SegmentView firstView(SegmentStore store, int segment, CountDownLatch isReading) {
    while (true) {
      try {
        return store.view(segment);
      } catch (IOException e) {
        isReading.countDown();
      }
    }
  }

  /** Simulates a deletion that is not durable, because the directory was not synced. */
  @Test
  void deletingASegmentResumesAFailedAttempt() throws IOException {
    try (OpenJournal first = open()) {
      first.commit("zero");
    }
    try (OpenJournal second = open()) {
      PendingRecord record = second.commit("one").get(0);
      try (JournalView view = second.journal.view()) {
        view.scan(0, stored -> {});
      }
      Files.delete(directory.resolve("sealed").resolve(nameOf(1)));

      second.journal.dropSegmentsBefore(Position.segment(record.position()));

      assertThat(second.journal.status().segments()).hasSize(1);
    }
  }

  @Test
  void aSegmentIsRewrittenWithTheSameBytes() throws IOException {
    try (OpenJournal journal = open()) {
      journal.commit("x".repeat(5 * MEBIBYTE / 2));
    }
    try (SegmentStore store = store()) {
      Path file = directory.resolve("sealed").resolve(nameOf(2));
      byte[] before = Files.readAllBytes(file);
      assertThat(before).hasSizeGreaterThan(MEBIBYTE);
      FileTime past = FileTime.fromMillis(0);
      Files.setLastModifiedTime(file, past);

      store.rewrite(2, 4_099, before.length - 3);

      assertThat(Files.readAllBytes(file)).isEqualTo(before);
      assertThat(Files.getLastModifiedTime(file)).isGreaterThan(past);
      assertThatThrownBy(() -> store.rewrite(2, 0, before.length + 1))
          .hasMessageContaining("shorter");
    }
  }

  @Test
  void aDeletedNewestSegmentIsDetected() throws IOException {
    try (OpenJournal first = open()) {
      first.commit("one");
    }
    try (OpenJournal second = open()) {
      second.commit("two");
    }
    Files.delete(file(2));

    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(this::open)
          .isInstanceOf(CorruptJournalException.class)
          .hasMessageContainingAll("segment 2", "is missing, but was the newest");
    }
  }

  @Test
  void anEndCutOffAfterAnOrderlyCloseIsDetected() throws IOException {
    PendingRecord last;
    try (OpenJournal journal = open()) {
      journal.commit("one");
      last = journal.commit("two").get(0);
    }
    byte[] good = Files.readAllBytes(segment());
    int end = Position.offset(last.position());
    byte[] zeroed = good.clone();
    Arrays.fill(zeroed, end, zeroed.length, (byte) 0);

    for (byte[] bad : List.of(Arrays.copyOf(good, end), zeroed)) {
      Files.write(segment(), bad);
      assertThatThrownBy(this::open)
          .isInstanceOf(CorruptJournalException.class)
          .hasMessageContainingAll("sequence 3", "everything up to 4 was synced");
      List<CorruptJournalException> damages = new ArrayList<>();
      assertThat(ClosedJournal.in(directory).read(record -> {}, new Collecting(damages)))
          .isNotNull();
      assertThat(damages).hasSize(1);
    }
    Files.write(segment(), good);
    try (OpenJournal journal = open()) {
      assertThat(journal.recoveredBodies()).containsExactly("one", "two");
    }
  }

  /** The file of the first segment, which an open moves. */
  final Path segment() {
    Path sealed = directory.resolve("sealed").resolve(nameOf(1));
    return Files.exists(sealed) ? sealed : file(1);
  }

  private record Collecting(List<CorruptJournalException> damages) implements JournalReadListener {
    @Override
    public void damaged(CorruptJournalException damage) {
      damages.add(damage);
    }

    @Override
    public void torn(String message, boolean mayBeDamage) {}
  }

  @Test
  void aCutOffEndAfterACrashIsATornTailEvenAfterAnEarlierOrderlyClose() throws IOException {
    try (OpenJournal journal = open()) {
      journal.commit("one");
    }
    try (SegmentStore store = store()) {
      OpenJournal second = new OpenJournal(store, OPTIONS);
      second.append("not synced");
      second.journal.writeGroup();
    }
    Path newest = file(2);
    byte[] bytes = Files.readAllBytes(newest);
    int used = bytes.length;
    while (bytes[used - 1] == 0) {
      used--;
    }
    Files.write(newest, Arrays.copyOf(bytes, used - 4));

    try (OpenJournal journal = open()) {
      assertThat(journal.recoveredBodies()).containsExactly("one");
    }
  }

  @Test
  void aCutOffEndAfterACrashIsDetectedIfItWasMarkedSynced() throws IOException {
    PendingRecord synced;
    try (SegmentStore store = store()) {
      OpenJournal journal = new OpenJournal(store, OPTIONS);
      synced = journal.commit("one", "synced").get(1);
      journal.journal.markSynced();
      journal.commit("not synced");
    }
    byte[] good = Files.readAllBytes(segment());

    Files.write(segment(), Arrays.copyOf(good, Position.offset(synced.position())));
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContainingAll("sequence 3", "everything up to 3 was synced");
    int end = Position.offset(synced.position()) + RecordFormat.frameBytes(5);
    Files.write(segment(), Arrays.copyOf(good, end));
    try (OpenJournal journal = open()) {
      assertThat(journal.recoveredBodies()).containsExactly("one", "synced");
    }
  }

  @Test
  void anExtentOfAnEarlierVersionIsRead() throws IOException {
    try (OpenJournal journal = open()) {
      journal.commit("one");
    }
    Files.writeString(directory.resolve("NEWEST"), "0000000001 3b9654c7\n");

    try (SegmentStore store = store()) {
      assertThat(store.extent()).isEqualTo(new SegmentStore.Extent(1, 0));
    }
  }

  @Test
  void aNewestSegmentDeletedOnPurposeIsNotDamage() throws IOException {
    try (SegmentStore store = store()) {
      assertThat(store.extent().newest()).isZero();
      assertThat(store.create(1, new byte[100], 100)).isNotNegative();
      assertThat(store.create(2, new byte[100], 100)).isNotNegative();
      assertThat(store.extent().newest()).isEqualTo(2);
      store.delete(2);
      assertThat(store.extent().newest()).isEqualTo(1);
      store.delete(1);
    }
    try (SegmentStore store = store()) {
      assertThat(store.extent().newest()).isZero();
    }
  }

  @Test
  void aJournalWithoutARecordedExtentOpens() throws IOException {
    try (OpenJournal first = open()) {
      first.commit("one");
    }
    Path extentFile = directory.resolve("NEWEST");
    int length = (int) Files.size(extentFile);

    Files.delete(extentFile);
    try (OpenJournal journal = open()) {
      assertThat(journal.recoveredBodies()).containsExactly("one");
    }
    for (int left : List.of(0, length)) {
      Files.write(extentFile, new byte[left]); // as a power failure may leave it
      try (OpenJournal journal = open()) {
        assertThat(journal.recoveredBodies()).containsExactly("one");
      }
    }
  }

  @Test
  void aRecordedExtentWithAnyFlippedBitIsRefused() throws IOException {
    try (OpenJournal first = open()) {
      first.commit("one");
    }
    Path extentFile = directory.resolve("NEWEST");
    byte[] good = Files.readAllBytes(extentFile);
    for (int bit = 0; bit < good.length * Byte.SIZE; bit++) {
      byte[] bad = good.clone();
      bad[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      Files.write(extentFile, bad);
      assertThatThrownBy(this::open)
          .isInstanceOf(CorruptJournalException.class)
          .hasMessageContainingAll("NEWEST is damaged", "delete this file");
    }
    for (int end = 1; end < good.length; end++) {
      Files.write(extentFile, Arrays.copyOf(good, end));
      assertThatThrownBy(this::open).isInstanceOf(CorruptJournalException.class);
    }
    Files.write(extentFile, good);
    open().close();
  }

  @Test
  void anOrderlyCloseLeavesNoHoleAtTheEnd() throws IOException {
    try (OpenJournal journal = open()) {
      journal.commit("one");
    }

    assertThat(Files.size(file(1))).isLessThan(300_000);
  }

  @Test
  void aRunThatWritesLittleLeavesLittle() throws IOException {
    JournalOptions options = OpenJournal.OPTIONS.withSegmentBytes(64 * MEBIBYTE);
    for (int run = 0; run < 3; run++) {
      SegmentStore files = store(options);
      try (OpenJournal journal = new OpenJournal(files, options)) {
        journal.commit("zeros".concat("\0".repeat(run)));
      }
    }

    for (String name : fileNames()) {
      assertThat(Files.size(directory.resolve(name))).as(name).isLessThan(MEBIBYTE / 4);
    }
    try (OpenJournal again = open()) {
      assertThat(again.recoveredBodies()).hasSize(3);
    }
  }

  @Test
  void theSpaceOfADroppedSegmentIsFreedWhenItsLastViewCloses() throws IOException {
    try (OpenJournal journal = open()) {
      PendingRecord old = journal.commit("old").get(0);
      int segment = Position.segment(old.position());
      journal.journal.roll();
      journal.commit("new");
      Path file = file(1);
      try (FileChannel space = FileChannel.open(file)) {
        SegmentView view = journal.store.view(segment);

        journal.journal.dropSegmentsBefore(segment + 1);

        assertThat(file).doesNotExist();
        assertThat(view.bytes().get(Position.offset(old.position()) + RecordFormat.BODY_AT))
            .isEqualTo((byte) 'o');
        view.close();
        assertThat(space.size()).isZero();
      }
    }
  }

  /** A second name exists while a reader has the image of an open store. */
  @Test
  void aSegmentWithASecondNameIsNotTruncated() throws IOException {
    Path linked = directory.resolve("linked");
    try (OpenJournal journal = open()) {
      PendingRecord old = journal.commit("old").get(0);
      Files.createLink(linked, segment());
      byte[] before = Files.readAllBytes(linked);

      journal.journal.roll();
      journal.commit("new");

      assertThat(Files.size(linked)).isEqualTo(before.length);
      int end = Position.offset(old.position()) + RecordFormat.frameBytes(3);
      journal.journal.dropSegmentsBefore(Position.segment(old.position()) + 1);
      assertThat(segment()).doesNotExist();
      assertThat(Files.readAllBytes(linked))
          .hasSameSizeAs(before)
          .startsWith(Arrays.copyOf(before, end));
    }
  }

  @Test
  void manySmallGroupsFitOneSegmentAndItsIndex() throws IOException {
    PendingRecord last;
    try (OpenJournal journal = open()) {
      for (int i = 0; i < 20_000; i++) {
        journal.append("r" + i);
        journal.journal.writeGroup();
      }
      last = journal.append("last");
      journal.journal.flushGroup();
      assertThat(OpenJournal.text(journal.journal.read(last.position()))).isEqualTo("last");
    }

    try (OpenJournal journal = open()) {
      assertThat(journal.recovered).hasSize(20_001);
      assertThat(OpenJournal.text(journal.journal.read(last.position()))).isEqualTo("last");
    }
  }

  @Test
  void aSegmentIsReadableUpToItsEnd() throws IOException {
    JournalOptions options = OpenJournal.OPTIONS.withSegmentBytes(4 * MEBIBYTE);
    try (OpenJournal journal = new OpenJournal(store(options), options)) {
      String body = "x".repeat(100_000);
      String[] bodies = Collections.nCopies(30, body).toArray(new String[0]);
      List<PendingRecord> records = journal.commit(bodies);

      assertThat(journal.journal.status().segments()).hasSize(1);
      assertThat(records)
          .extracting(r -> OpenJournal.text(journal.journal.read(r.position())))
          .containsOnly(body);
    }
  }

  @Test
  void aSegmentIsTruncatedToItsDataWhenTheNextOneBegins() throws IOException {
    JournalOptions options = OpenJournal.OPTIONS.withSegmentBytes(64 * MEBIBYTE);
    try (OpenJournal journal = new OpenJournal(store(options), options)) {
      List<PendingRecord> records = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        records.addAll(journal.commit("record " + i));
        journal.journal.roll();
      }
      records.addAll(journal.commit("in the newest segment"));

      for (int i = 0; i < 8; i++) {
        int segment = Position.segment(records.get(i).position());
        Path file = file(segment);
        assertThat(Files.size(file))
            .as("%s", file)
            .isBetween(journal.store.allocatedBytes(segment), MEBIBYTE / 4L);
        assertThat(OpenJournal.text(journal.journal.read(records.get(i).position())))
            .isEqualTo("record " + i);
      }
    }
    try (OpenJournal again = open()) {
      assertThat(again.recoveredBodies()).hasSize(9).endsWith("in the newest segment");
    }
  }

  @Test
  void aLargeRecordFitsTheSmallestSegment() throws IOException {
    byte[] large = new byte[5 * MEBIBYTE];
    List<StoredRecord> recovered = new ArrayList<>();
    JournalOptions small = TestDisk.OPTIONS;
    try (OpenJournal journal = new OpenJournal(store(small), small)) {
      journal.journal.append(new PendingRecord((byte) 1, large, large.length));
      journal.journal.flushGroup();
      assertThat(journal.failed).isEmpty();
      journal.journal.scan(0, recovered::add);
    }

    assertThat(recovered).hasSize(1);
    assertThat(recovered.get(0).body()).hasSize(5 * MEBIBYTE);
  }

  @Test
  void theFreeSpaceOfTheDiskIsReported() throws IOException {
    try (SegmentStore store = store()) {
      assertThat(store.usableBytes())
          .isCloseTo(
              Files.getFileStore(directory).getUsableSpace(),
              org.assertj.core.data.Percentage.withPercentage(20));
    }
  }
}
