package io.github.stablecut.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares the formats with golden files of each version in {@code src/test/resources/format/}. The
 * test leaves the files of this version in {@code target/format/}. If a format changes on purpose,
 * these become the golden files of a new version, and the old ones stay.
 */
class FormatTest {
  private static final String NEWEST = "checkpoint-2";
  private static final List<String> FILES =
      List.of("CURRENT", "MANIFEST-3", "MANIFEST-4", "hist-3", "run-1", "run-2");
  private static final VectorClock FIRST = VectorClock.ofEntries(1_000, 0, 900);
  private static final VectorClock SECOND = VectorClock.ofEntries(2_000, 7, 900);

  @Test
  void writesTheGoldenFiles() throws IOException {
    LossyDirectory directory = new LossyDirectory();
    try (CheckpointStore store = Checkpoints.start(directory)) {
      write(store);
    }

    assertThat(directory.list()).isEqualTo(FILES);
    Path target = Files.createDirectories(Path.of("target", "format", NEWEST));
    for (String name : FILES) {
      Files.write(target.resolve(name), directory.read(name, 1 << 20));
    }
    for (String name : FILES) {
      assertThat(directory.read(name, 1 << 20)).as(name).isEqualTo(golden(NEWEST, name));
    }
  }

  private static void write(CheckpointStore store) {
    Checkpoint first =
        new Checkpoint(FIRST, VectorClock.of(500), 4_096, VectorClock.ofEntries(3, 0, 2));
    try (RunWriter writer = store.beginRun(first, "sessions".getBytes(UTF_8))) {
      writer.put(Bytes.EMPTY, 1, 10, "the empty id".getBytes(UTF_8));
      writer.put(Bytes.utf8("an empty state"), 2, 20, new byte[0]);
      writer.put(Bytes.utf8("likes"), 3, 30, "42".getBytes(UTF_8));
      writer.put(Bytes.utf8("tags"), 1L << 40, 40, "crdt".getBytes(UTF_8));
      ManifestFile run = writer.finish();
      store.commit(change -> change.addRun(run));
    }
    Checkpoint second = new Checkpoint(SECOND, FIRST, 8_192, VectorClock.ofEntries(4, 1, 2));
    try (RunWriter writer = store.beginRun(second, "newer sessions".getBytes(UTF_8));
        HistoryWriter history = store.beginHistory(second)) {
      writer.putDeleted(Bytes.utf8("likes"), 3, 1_500);
      writer.put(Bytes.utf8("tags"), 1L << 40, 1_600, "crdt, java".getBytes(UTF_8));
      ManifestFile run = writer.finish();
      history.put(Bytes.utf8("likes"), new long[] {5_000});
      history.put(Bytes.utf8("tags"), new long[] {5_000, 6_000, 1L << 50});
      ManifestFile positions = history.finish();
      store.commit(change -> change.addRun(run).addHistory(positions));
    }
    store.commit(
        change ->
            change
                .lowWatermark(FIRST)
                .firstSegment(3)
                .clockCeiling(123_456_789)
                .attribute("sealed.2", "35"));
  }

  private static byte[] golden(String version, String name) throws IOException {
    String resource = "/format/" + version + "/" + name;
    try (InputStream in =
        Objects.requireNonNull(FormatTest.class.getResourceAsStream(resource), resource)) {
      return in.readAllBytes();
    }
  }

  /** In version 1, runs have no filter. */
  @ParameterizedTest
  @ValueSource(strings = {"checkpoint-1", NEWEST})
  void readsTheFilesOfEachVersion(String version) throws IOException {
    LossyDirectory directory = new LossyDirectory();
    for (String name : FILES) {
      byte[] content = golden(version, name);
      try (FileAppender file = directory.create(name)) {
        file.append(content, 0, content.length);
      }
    }

    try (CheckpointStore store = CheckpointStore.open(directory, Checkpoints.OPTIONS, 3);
        CheckpointView view = store.view()) {
      assertThat(store.status().problems()).isEmpty();
      assertThat(view.manifest().lowWatermark()).isEqualTo(FIRST);
      assertThat(view.manifest().firstSegment()).isEqualTo(3);
      assertThat(view.manifest().clockCeiling()).isEqualTo(123_456_789);
      assertThat(view.manifest().attributes()).containsExactly(Map.entry("sealed.2", "35"));
      assertThat(view.checkpoints())
          .containsExactly(
              new Checkpoint(SECOND, FIRST, 8_192, VectorClock.ofEntries(4, 1, 2)),
              new Checkpoint(FIRST, VectorClock.of(500), 4_096, VectorClock.ofEntries(3, 0, 2)));
      assertThat(new String(view.notes(), UTF_8)).isEqualTo("newer sessions");
      assertThat(Checkpoints.scan(view, IdRange.all(), FIRST))
          .isEqualTo(
              Map.of(
                  Bytes.EMPTY,
                  "the empty id",
                  Bytes.utf8("an empty state"),
                  "",
                  Bytes.utf8("likes"),
                  "42",
                  Bytes.utf8("tags"),
                  "crdt"));
      RunEntry likes = view.find(Bytes.utf8("likes"), SECOND).orElseThrow();
      assertThat(likes.isDeleted()).isTrue();
      assertThat(likes.typeId()).isEqualTo(3);
      assertThat(likes.lastCommitTime()).isEqualTo(1_500);
      assertThat(view.find(Bytes.utf8("tags"), SECOND).map(RunEntry::typeId)).contains(1L << 40);
      assertThat(view.positionsAfter(Bytes.utf8("tags"), FIRST))
          .containsExactly(5_000, 6_000, 1L << 50);
      view.verify(
          damage -> {
            throw damage;
          });
    }
  }
}
