package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is special about files of Chronicle Queue. */
final class ChronicleSegmentsTest {
  private static final int MEBIBYTE = 1 << 20;
  private static final JournalOptions OPTIONS = OpenJournal.OPTIONS.withSegmentBytes(MEBIBYTE);

  /** A file grows by so much. */
  private static final long STEP = 8 * MEBIBYTE;

  /** What Chronicle maps behind a step, and the longest extent. */
  private static final long MOST_BEHIND = STEP / 4 + 2 * MEBIBYTE;

  @TempDir Path directory;

  private SegmentStore store() throws IOException {
    return JournalDirectory.open(directory, OPTIONS);
  }

  private OpenJournal open() throws IOException {
    return new OpenJournal(store(), OPTIONS);
  }

  private List<String> fileNames() throws IOException {
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

        long unused = store.create(next, new byte[] {1}, 1);

        try (SegmentView early = reader.get(30, TimeUnit.SECONDS);
            SegmentView later = store.view(next)) {
          assertThat(later).isSameAs(early);
          assertThat(early.bytes().capacity()).isPositive();
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

  @Test
  void filesOfEarlierRunsAreOutOfChroniclesReach() throws IOException {
    open().close();

    try (OpenJournal second = open()) {
      second.commit("one");
      assertThat(fileNames())
          .containsExactly("19700103S.cq4", "NEWEST", "metadata.cq4t", "sealed/19700102S.cq4");
    }
  }

  /** As a segment whose file is gone, but not durably, because the directory was not synced. */
  @Test
  void deletingASegmentGoesOnWhereAnEarlierAttemptHasFailed() throws IOException {
    try (OpenJournal first = open()) {
      first.commit("zero");
    }
    try (OpenJournal second = open()) {
      PendingRecord record = second.commit("one").get(0);
      try (JournalView view = second.journal.view()) {
        view.scan(0, stored -> {});
      }
      Files.delete(directory.resolve("sealed/19700102S.cq4"));

      second.journal.dropSegmentsBefore(Position.segment(record.position()));

      assertThat(second.journal.status().segments()).hasSize(1);
    }
  }

  @Test
  void aSegmentIsWrittenAnewWithTheSameBytes() throws IOException {
    try (OpenJournal journal = open()) {
      journal.commit("x".repeat(5 * MEBIBYTE / 2));
    }
    try (SegmentStore store = store()) {
      byte[] before = Files.readAllBytes(segment());
      FileTime past = FileTime.fromMillis(0);
      Path unused = Files.setLastModifiedTime(segment(), past);
      int number = store.segments().get(0);

      store.rewrite(number, 4_099, before.length - 3);

      assertThat(Files.readAllBytes(segment())).isEqualTo(before);
      assertThat(Files.getLastModifiedTime(segment())).isGreaterThan(past);
      assertThatThrownBy(() -> store.rewrite(number, 0, before.length + 1))
          .hasMessageContaining("shorter");
    }
  }

  @Test
  void aNewestSegmentWhoseFileWasDeletedIsMissed() throws IOException {
    try (OpenJournal first = open()) {
      first.commit("one");
    }
    try (OpenJournal second = open()) {
      second.commit("two");
    }
    Files.delete(directory.resolve("19700103S.cq4"));

    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(this::open)
          .isInstanceOf(CorruptJournalException.class)
          .hasMessageContainingAll("19700103S.cq4", "is missing, but was the newest");
    }
  }

  @Test
  void anEndThatWasCutOffAfterAnOrderlyCloseIsMissed() throws IOException {
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
      Path unused = Files.write(segment(), bad);
      assertThatThrownBy(this::open)
          .isInstanceOf(CorruptJournalException.class)
          .hasMessageContainingAll("sequence 3", "all up to 4 was synced");
      List<CorruptJournalException> damages = new ArrayList<>();
      var unusedToo = ClosedJournal.in(directory).read(record -> {}, new Collecting(damages));
      assertThat(damages).hasSize(1);
    }
    Path unused = Files.write(segment(), good);
    try (OpenJournal journal = open()) {
      assertThat(journal.recoveredBodies()).containsExactly("one", "two");
    }
  }

  /** Where the first segment lies: an opening moves it. */
  private Path segment() {
    Path sealed = directory.resolve("sealed/19700102S.cq4");
    return Files.exists(sealed) ? sealed : directory.resolve("19700102S.cq4");
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
  void whatIsCutOffAfterACrashIsATornTailAlsoBehindAnOrderlyClose() throws IOException {
    try (OpenJournal journal = open()) {
      journal.commit("one");
    }
    try (SegmentStore store = store()) {
      OpenJournal second = new OpenJournal(store, OPTIONS);
      second.append("not synced");
      second.journal.writeGroup();
    }
    Path newest = directory.resolve("19700103S.cq4");
    byte[] bytes = Files.readAllBytes(newest);
    int used = bytes.length;
    while (bytes[used - 1] == 0) {
      used--;
    }
    Path unused = Files.write(newest, Arrays.copyOf(bytes, used - 4));

    try (OpenJournal journal = open()) {
      assertThat(journal.recoveredBodies()).containsExactly("one");
    }
  }

  @Test
  void whatIsCutOffAfterACrashIsMissedIfItWasNotedToBeDurable() throws IOException {
    PendingRecord noted;
    try (SegmentStore store = store()) {
      OpenJournal journal = new OpenJournal(store, OPTIONS);
      noted = journal.commit("one", "noted").get(1);
      journal.journal.noteSynced();
      journal.commit("not noted");
    }
    byte[] good = Files.readAllBytes(segment());

    Path unused = Files.write(segment(), Arrays.copyOf(good, Position.offset(noted.position())));
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContainingAll("sequence 3", "all up to 3 was synced");
    int end = Position.offset(noted.position()) + RecordFormat.frameBytes(5);
    unused = Files.write(segment(), Arrays.copyOf(good, end));
    try (OpenJournal journal = open()) {
      assertThat(journal.recoveredBodies()).containsExactly("one", "noted");
    }
  }

  @Test
  void aNoteOfAnEarlierVersionIsRead() throws IOException {
    try (OpenJournal journal = open()) {
      journal.commit("one");
    }
    Path unused = Files.writeString(directory.resolve("NEWEST"), "0000000001 3b9654c7\n");

    try (SegmentStore store = store()) {
      assertThat(store.extent()).isEqualTo(new SegmentStore.Extent(1, 0));
    }
  }

  @Test
  void aNewestSegmentThatWasDeletedOnPurposeIsNotMissed() throws IOException {
    try (SegmentStore store = store()) {
      assertThat(store.extent().newest()).isZero();
      long unused = store.create(1, new byte[100], 100);
      unused = store.create(2, new byte[100], 100);
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
  void aJournalWithoutTheNoteOfItsNewestSegmentOpens() throws IOException {
    try (OpenJournal first = open()) {
      first.commit("one");
    }
    Path note = directory.resolve("NEWEST");
    int length = (int) Files.size(note);

    Files.delete(note);
    try (OpenJournal journal = open()) {
      assertThat(journal.recoveredBodies()).containsExactly("one");
    }
    for (int left : List.of(0, length)) {
      Files.write(note, new byte[left]); // as a power cut may leave it
      try (OpenJournal journal = open()) {
        assertThat(journal.recoveredBodies()).containsExactly("one");
      }
    }
  }

  @Test
  void aChangedNoteOfTheNewestSegmentIsRefusedWhateverBitItIs() throws IOException {
    try (OpenJournal first = open()) {
      first.commit("one");
    }
    Path note = directory.resolve("NEWEST");
    byte[] good = Files.readAllBytes(note);
    for (int bit = 0; bit < good.length * Byte.SIZE; bit++) {
      byte[] bad = good.clone();
      bad[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      Files.write(note, bad);
      assertThatThrownBy(this::open)
          .isInstanceOf(CorruptJournalException.class)
          .hasMessageContainingAll("NEWEST is damaged", "delete this file");
    }
    for (int end = 1; end < good.length; end++) {
      Files.write(note, Arrays.copyOf(good, end));
      assertThatThrownBy(this::open).isInstanceOf(CorruptJournalException.class);
    }
    Files.write(note, good);
    open().close();
  }

  @Test
  void garbageInTheMetadataOfChronicleDoesNotMatter() throws IOException {
    try (OpenJournal first = open()) {
      first.commit("one");
    }
    Files.write(directory.resolve("metadata.cq4t"), new byte[] {1, 2, 3, 4, 5, 6, 7, 8});

    try (OpenJournal second = open()) {
      assertThat(second.recoveredBodies()).containsExactly("one");
    }
  }

  @Test
  void anOrderlyCloseLeavesNoHoleAtTheEnd() throws IOException {
    try (OpenJournal journal = open()) {
      journal.commit("one");
    }

    assertThat(Files.size(directory.resolve("19700102S.cq4"))).isLessThan(300_000);
  }

  @Test
  void aRunThatWritesLittleLeavesLittle() throws IOException {
    JournalOptions options = OpenJournal.OPTIONS.withSegmentBytes(64 * MEBIBYTE);
    for (int run = 0; run < 3; run++) {
      SegmentStore files = JournalDirectory.open(directory, options);
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
  void theSpaceOfADroppedSegmentIsFreeOnceItsLastViewIsClosed() throws IOException {
    try (OpenJournal journal = open()) {
      PendingRecord old = journal.commit("old").get(0);
      int segment = Position.segment(old.position());
      journal.journal.roll();
      journal.commit("new");
      Path file = directory.resolve("19700102S.cq4");
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

  /** As in the image of an open store, while somebody reads it. */
  @Test
  void aSegmentWithASecondNameIsNotCut() throws IOException {
    Path linked = directory.resolve("linked");
    try (OpenJournal journal = open()) {
      PendingRecord old = journal.commit("old").get(0);
      Path unused = Files.createLink(linked, segment());
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
    try (OpenJournal journal =
        new OpenJournal(JournalDirectory.open(directory, options), options)) {
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
  void aFileGrowsInStepsAndViewsOfItStayReadable() throws IOException {
    JournalOptions options = OpenJournal.OPTIONS.withSegmentBytes(64 * MEBIBYTE);
    try (OpenJournal journal =
        new OpenJournal(JournalDirectory.open(directory, options), options)) {
      List<PendingRecord> records = new ArrayList<>(journal.commit("the first"));
      Path file = segment();
      assertThat(Files.size(file)).isLessThan(STEP + MOST_BEHIND);
      try (SegmentView early = journal.store.view(Position.segment(records.get(0).position()))) {
        ByteBuffer bytes = early.bytes();

        for (int i = 0; i < 30; i++) {
          records.addAll(journal.commit((i + " ").repeat(MEBIBYTE / 3)));
          assertThat(Files.size(file))
              .isLessThan(Position.offset(records.get(i + 1).position()) + STEP + MOST_BEHIND);
        }

        int at = Position.offset(records.get(0).position());
        assertThat(bytes.get(at + RecordFormat.BODY_AT)).isEqualTo((byte) 't');
        int last = Position.offset(records.get(30).position());
        assertThat(early.bytes().get(last + RecordFormat.BODY_AT)).isEqualTo((byte) '2');
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
  void aSegmentIsCutToWhatItUsesWhenTheNextOneBegins() throws IOException {
    JournalOptions options = OpenJournal.OPTIONS.withSegmentBytes(64 * MEBIBYTE);
    try (OpenJournal journal =
        new OpenJournal(JournalDirectory.open(directory, options), options)) {
      List<PendingRecord> records = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        records.addAll(journal.commit("record " + i));
        journal.journal.roll();
      }
      records.addAll(journal.commit("in the newest segment"));

      for (int i = 0; i < 8; i++) {
        int segment = Position.segment(records.get(i).position());
        Path file = directory.resolve("197001%02dS.cq4".formatted(segment + 1));
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
    try (OpenJournal journal = new OpenJournal(JournalDirectory.open(directory, small), small)) {
      journal.journal.append(new PendingRecord((byte) 1, large, large.length));
      journal.journal.flushGroup();
      assertThat(journal.failed).isEmpty();
      journal.journal.scan(0, recovered::add);
    }

    assertThat(recovered).hasSize(1);
    assertThat(recovered.get(0).body()).hasSize(5 * MEBIBYTE);
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

  @Test
  void theDiskIsAskedForItsSpace() throws IOException {
    try (SegmentStore store = store()) {
      assertThat(store.usableBytes())
          .isCloseTo(
              Files.getFileStore(directory).getUsableSpace(),
              org.assertj.core.data.Percentage.withPercentage(20));
    }
  }
}
