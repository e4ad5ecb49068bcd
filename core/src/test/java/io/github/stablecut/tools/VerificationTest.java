package io.github.stablecut.tools;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointFiles;
import io.github.stablecut.checkpoint.CheckpointOptions;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.checkpoint.RunWriter;
import io.github.stablecut.checkpoint.internal.ManifestFormat;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.CounterMap;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.tools.Verification.Depth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A verification finds damage, and leaves healthy files alone. */
final class VerificationTest {
  private static final CounterKey COUNTER = Key.counter("b", "k");

  @TempDir private Path temporary;

  private Path data() {
    return temporary.resolve("data");
  }

  private VerificationReport verify(Depth depth) {
    return Verification.run(data(), depth, ToolProgress.NONE);
  }

  private List<String> damages(Depth depth) {
    VerificationReport report = verify(depth);
    assertThat(report.damages()).hasSize((int) report.damageCount());
    return report.damages();
  }

  private List<Path> segments() throws IOException {
    return SampleStore.files(data().resolve("p0/journal")).stream()
        .filter(file -> JournalDirectory.segmentOf(file.getFileName().toString()) > 0)
        .sorted(Comparator.comparing(Path::getFileName))
        .toList();
  }

  private static List<Integer> placesOf(String text, Path file) throws IOException {
    String content = new String(Files.readAllBytes(file), ISO_8859_1);
    List<Integer> places = new ArrayList<>();
    for (int at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + 1)) {
      places.add(at);
    }
    return places;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void acceptsWhatTheStoreHasWritten(long seed) {
    SampleStore.make(data(), SampleStore.SMALL_SEGMENTS, seed);

    for (Depth depth : Depth.values()) {
      assertThat(damages(depth)).isEmpty();
    }
    assertThat(verify(Depth.FULL).checked().compared()).isPositive();
    assertThat(verify(Depth.FULL).checked().checkpointFiles()).isGreaterThan(3);
    assertThat(verify(Depth.FULL).checked().segments()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void acceptsATruncatedStore(long seed) {
    SampleStore.make(data(), SampleStore.FORGETFUL, seed);

    assertThat(damages(Depth.FULL)).isEmpty();
  }

  @Test
  void acceptsSumsThatExceedALong() {
    CounterMapKey<String> entries = Key.counterMap("b", "entries", Codec.string());
    RecursiveMapKey map = Key.map("b", "map");
    try (Store store = Stablecut.open(data(), StoreOptions.defaults())) {
      for (int i = 0; i < 3; i++) {
        store.update(
            COUNTER.increment(Long.MAX_VALUE),
            entries.increment("a", Long.MAX_VALUE),
            map.counter("inner").increment(Long.MAX_VALUE));
        store.checkpoint();
      }
    }

    assertThat(damages(Depth.FULL)).isEmpty();
    assertThat(verify(Depth.FULL).checked().compared()).isPositive();
  }

  @Test
  void acceptsANewStoreAndARestoredOne() throws IOException {
    try (Store store = Stablecut.open(data())) {
      store.update(COUNTER.increment(1));
      store.backup(temporary.resolve("backup"));
    }
    assertThat(damages(Depth.FULL)).isEmpty();
    Path restored = temporary.resolve("restored");
    Stablecut.restore(temporary.resolve("backup"), restored, (done, total) -> {});

    assertThat(Verification.run(restored, Depth.FULL, ToolProgress.NONE).damages()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void changesNothingEvenWhereAnOpeningRepairs(Depth depth) throws IOException {
    try (Store store = Stablecut.open(temporary.resolve("open"), SampleStore.SMALL_SEGMENTS)) {
      SampleStore.change(store, new Random(1), 20);
      store.checkpoint();
      SampleStore.copy(temporary.resolve("open"), data());
    }
    Files.writeString(data().resolve("p0/checkpoint/run-99.tmp"), "what a crash has left");
    Map<String, String> before = SampleStore.fingerprint(temporary);
    for (String directory : List.of("", "p0", "p0/journal", "p0/checkpoint")) {
      Files.setPosixFilePermissions(
          data().resolve(directory), PosixFilePermissions.fromString("r-xr-xr-x"));
    }
    for (Path file : SampleStore.files(data())) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
    }

    assertThat(damages(depth)).isEmpty();

    for (String directory : List.of("", "p0", "p0/journal", "p0/checkpoint")) {
      Files.setPosixFilePermissions(
          data().resolve(directory), PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    assertThat(SampleStore.fingerprint(temporary)).isEqualTo(before);
  }

  @Test
  void reportsALastFrameThatMayHaveBeenAcknowledgedAsDoubtful() throws IOException {
    try (Store store = Stablecut.open(temporary.resolve("open"), SampleStore.SMALL_SEGMENTS)) {
      store.update(COUNTER.increment(1));
      store.update(COUNTER.increment(1));
      SampleStore.copy(temporary.resolve("open"), data());
    }
    List<Integer> places = placesOf("b\0\1k", segments().get(0));
    SampleStore.flip(segments().get(0), places.get(places.size() - 1));

    assertThat(damages(Depth.FULL)).isEmpty();
    assertThat(verify(Depth.SUMS).notes())
        .singleElement()
        .asString()
        .contains("a wrong checksum", "may have damaged the last acknowledged transactions");
  }

  @Test
  void namesEveryDamagedRecordWithFileAndOffset() throws IOException {
    for (int run = 0; run < 2; run++) {
      try (Store store = Stablecut.open(data())) {
        for (int i = 0; i < 10; i++) {
          store.update(COUNTER.increment(1));
        }
      }
    }
    List<String> expected = new ArrayList<>();
    for (Path segment : segments()) {
      for (int place : List.of(2, 4, 6)) {
        SampleStore.flip(segment, placesOf("b\0\1k", segment).get(place));
        expected.add(segment.toString());
      }
    }

    List<String> damages = damages(Depth.SUMS);

    assertThat(damages).hasSize(6).allMatch(damage -> damage.contains("offset"));
    for (int i = 0; i < damages.size(); i++) {
      assertThat(damages.get(i)).contains(expected.get(i));
    }
    assertThat(verify(Depth.SUMS).checked().records()).isGreaterThanOrEqualTo(14);
    assertThat(verify(Depth.FULL).notes()).anyMatch(note -> note.contains("not compared"));
  }

  @Test
  void namesAMissingSegment() throws IOException {
    SampleStore.make(data(), SampleStore.SMALL_SEGMENTS, 1);
    String missing = segments().get(1).getFileName().toString();
    Files.delete(segments().get(1));

    assertThat(damages(Depth.SUMS)).anyMatch(damage -> damage.contains(missing));
  }

  @Test
  void namesASegmentWithoutAHeader() throws IOException {
    SampleStore.make(data(), SampleStore.SMALL_SEGMENTS, 1);
    Path segment = segments().get(1);
    Files.write(segment, new byte[(int) Files.size(segment)]);

    assertThat(damages(Depth.SUMS))
        .anyMatch(
            damage -> damage.contains(segment.toString()) && damage.contains("no valid frame"));
  }

  @Test
  void namesEveryDamagedFileOfTheCheckpoints() throws IOException {
    SampleStore.make(data(), SampleStore.SMALL_SEGMENTS, 1);
    List<Path> files =
        SampleStore.files(data().resolve("p0/checkpoint")).stream()
            .filter(file -> !file.toString().matches(".*MANIFEST-.*"))
            .toList();
    assertThat(files).hasSizeGreaterThan(4);
    for (Path file : files) {
      byte[] good = Files.readAllBytes(file);
      SampleStore.flip(file, 20);
      assertThat(damages(Depth.SUMS)).anyMatch(damage -> damage.contains(file.toString()));

      SampleStore.flip(file, good.length - 3);
      assertThat(damages(Depth.SUMS)).anyMatch(damage -> damage.contains(file.toString()));

      Files.delete(file);
      assertThat(damages(Depth.SUMS)).anyMatch(damage -> damage.contains(file.toString()));
      Files.write(file, good);
    }
    assertThat(damages(Depth.FULL)).isEmpty();
  }

  @Test
  void reportsAFileNamedByTwoManifestsOnce() throws IOException {
    try (Store store = Stablecut.open(data())) {
      store.update(COUNTER.increment(1));
      store.checkpoint();
    }
    Stablecut.open(data()).close();
    Files.delete(data().resolve("p0/checkpoint/run-1"));

    assertThat(damages(Depth.SUMS)).singleElement().asString().contains("run-1: the file is");
  }

  @Test
  void findsAChangedByteOfARunAnywhere() throws IOException {
    try (Store store = Stablecut.open(data())) {
      store.update(COUNTER.increment(1));
      store.checkpoint();
    }
    Path run = data().resolve("p0/checkpoint/run-1");

    for (int at = 0; at < Files.size(run); at += at < 64 ? 1 : 37) {
      SampleStore.flip(run, at);
      assertThat(damages(Depth.SUMS))
          .as("byte %d", at)
          .anyMatch(damage -> damage.contains(run.toString()));
      SampleStore.flip(run, at);
    }
    assertThat(damages(Depth.SUMS)).isEmpty();
  }

  @Test
  void namesADamagedIdentityAndChecksTheRestToo() throws IOException {
    SampleStore.make(data(), SampleStore.SMALL_SEGMENTS, 1);
    SampleStore.flip(data().resolve("STABLECUT"), 40);
    SampleStore.flip(data().resolve("p0/checkpoint/CURRENT"), 3);

    assertThat(damages(Depth.SUMS))
        .hasSize(2)
        .anyMatch(damage -> damage.contains("STABLECUT is damaged"))
        .anyMatch(damage -> damage.contains("CURRENT"));
  }

  @Test
  void namesMissingDirectories() throws IOException {
    SampleStore.make(data(), SampleStore.SMALL_SEGMENTS, 1);
    Files.move(data().resolve("p0/checkpoint"), temporary.resolve("checkpoint"));
    assertThat(damages(Depth.SUMS)).anyMatch(damage -> damage.contains("checkpoint is missing"));

    Files.move(data().resolve("p0/journal"), temporary.resolve("journal"));
    assertThat(damages(Depth.SUMS)).anyMatch(damage -> damage.contains("journal is missing"));

    Files.createDirectory(data().resolve("p0/journal"));
    assertThat(damages(Depth.SUMS)).anyMatch(damage -> damage.contains("contains no journal"));
  }

  /**
   * Writes a checkpoint at the last of three commits, of the correct counter or another content.
   */
  private void checkpoint(Consumer<RunWriter> content) throws IOException {
    VectorClock at;
    try (Store store = Stablecut.open(data(), SampleStore.SMALL_SEGMENTS)) {
      store.update(COUNTER.increment(1));
      store.update(COUNTER.increment(1));
      at = store.update(COUNTER.increment(1)).vector();
      last = at.max();
    }
    try (CheckpointStore checkpoints =
            CheckpointStore.open(
                DiskDirectory.existing(data().resolve("p0/checkpoint")),
                CheckpointOptions.DEFAULTS.withReserveBytes(0),
                1);
        CheckpointView before = checkpoints.view()) {
      assertThat(before.manifest().runs()).isEmpty();
      checkpoints.start(change -> {});
      try (RunWriter run = checkpoints.beginRun(Checkpoint.of(at, 0), new byte[0])) {
        content.accept(run);
        var file = run.finish();
        checkpoints.commit(change -> change.addRun(file));
      }
    }
    assertThat(damages(Depth.SUMS)).isEmpty();
  }

  private long last;

  private static byte[] counterOf(long amount) {
    EffectOrigin origin = new EffectOrigin(0, 1, VectorClock.ZERO);
    PnCounter type = PnCounter.TYPE;
    return CrdtCodec.encodeState(
        type, type.apply(type.initial(), new PnCounter.Add(amount), origin));
  }

  @Test
  void acceptsACheckpointThatAgreesWithTheJournal() throws IOException {
    checkpoint(run -> run.put(COUNTER.id(), 1, last, counterOf(3)));

    assertThat(damages(Depth.FULL)).isEmpty();
  }

  @Test
  void findsAnotherValueThanTheJournalsReplay() throws IOException {
    checkpoint(run -> run.put(COUNTER.id(), 1, last, counterOf(4)));

    assertThat(damages(Depth.FULL))
        .singleElement()
        .asString()
        .contains("\"b\"/\"k\"", "differs from the value");
  }

  @Test
  void findsAnObjectThatACheckpointLacks() throws IOException {
    checkpoint(run -> run.put(Bytes.utf8("a\0\1a"), 1, 1, counterOf(1)));

    assertThat(damages(Depth.FULL))
        .anyMatch(damage -> damage.contains("contains nothing of it") && damage.contains("offset"))
        .anyMatch(
            damage ->
                damage.contains("\"a\"/\"a\"")
                    && damage.contains("without a corresponding effect"));
  }

  @Test
  void findsAVersionThatIsTooOld() throws IOException {
    checkpoint(run -> run.put(COUNTER.id(), 1, last - 1, counterOf(3)));

    assertThat(damages(Depth.FULL)).singleElement().asString().contains("a version of");
  }

  @Test
  void findsAnotherTypeThanInTheJournal() throws IOException {
    CounterMap type = CounterMap.TYPE;
    byte[] state = CrdtCodec.encodeState(type, type.initial());
    checkpoint(run -> run.put(COUNTER.id(), type.typeId(), last, state));

    assertThat(damages(Depth.FULL)).singleElement().asString().contains("counter map");
  }

  @Test
  void findsAStateThatCannotBeDecoded() throws IOException {
    checkpoint(run -> run.put(COUNTER.id(), 1, last, new byte[] {1, 2, 3}));

    assertThat(damages(Depth.FULL)).singleElement().asString().contains("\"b\"/\"k\"");
  }

  @Test
  void findsAnEffectThatNoHistoryFileNames() throws IOException {
    SampleStore.make(data(), SampleStore.SMALL_SEGMENTS, 1);
    Path checkpoints = data().resolve("p0/checkpoint");
    Manifest next;
    try (CheckpointStore store =
            CheckpointStore.open(
                DiskDirectory.existing(checkpoints), CheckpointOptions.DEFAULTS, 1);
        CheckpointView view = store.view()) {
      Manifest now = view.manifest();
      assertThat(now.histories()).hasSizeGreaterThan(1);
      next =
          now.toBuilder()
              .number(now.number() + 1)
              .histories(now.histories().subList(1, now.histories().size()))
              .build();
    }
    Files.write(
        checkpoints.resolve(CheckpointFiles.manifest(next.number())), ManifestFormat.encode(next));
    Files.write(
        checkpoints.resolve(CheckpointFiles.CURRENT), CheckpointFiles.current(next.number()));

    assertThat(damages(Depth.SUMS)).isEmpty();
    assertThat(damages(Depth.FULL)).isNotEmpty().allMatch(damage -> damage.contains("history"));
  }

  @Test
  void refusesAStoreInUseAndBlocksOpeningWhileReading() {
    StoreOptions options = StoreOptions.defaults();
    try (Store store = Stablecut.open(data(), options)) {
      assertThat(store.read(COUNTER)).isZero();
      assertThatThrownBy(() -> verify(Depth.SUMS)).isInstanceOf(StoreInUseException.class);
    }
    List<Throwable> refused = new ArrayList<>();

    Verification.run(
        data(),
        Depth.SUMS,
        (stage, done, total) -> {
          try {
            Stablecut.open(data(), options).close();
          } catch (StoreInUseException e) {
            refused.add(e);
          }
        });

    assertThat(refused).isNotEmpty();
    Stablecut.open(data(), options).close();
  }

  @Test
  void refusesADirectoryThatIsNoStore() throws IOException {
    assertRefused("there is no " + data() + ": name");
    Files.createDirectory(data());
    assertRefused("no file STABLECUT");
    assertThat(data()).isEmptyDirectory();

    Files.createFile(data().resolve("BACKUP"));
    assertRefused("is a backup: restore it");
    Files.delete(data().resolve("BACKUP"));
    Files.delete(data());
    Files.createFile(data());
    assertRefused("is a file");
  }

  private void assertRefused(String why) {
    assertThatThrownBy(() -> verify(Depth.SUMS))
        .isInstanceOf(NotAStoreException.class)
        .hasMessageContaining(why);
  }
}
