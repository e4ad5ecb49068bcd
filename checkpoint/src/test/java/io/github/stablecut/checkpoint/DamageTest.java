package io.github.stablecut.checkpoint;

import static io.github.stablecut.checkpoint.Checkpoints.OPTIONS;
import static io.github.stablecut.checkpoint.Checkpoints.checkpoint;
import static io.github.stablecut.checkpoint.Checkpoints.find;
import static io.github.stablecut.checkpoint.Checkpoints.start;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.internal.ManifestFormat;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import java.io.IOException;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Damaged, missing or newer files are reported and refused, unless an older manifest loses nothing.
 * The store has two checkpoints, at 10 in run-1 and at 20 in run-2; MANIFEST-3 has both, MANIFEST-2
 * the first.
 */
class DamageTest {
  private final LossyDirectory directory = new LossyDirectory();

  @BeforeEach
  void write() throws IOException {
    try (CheckpointStore store = start(directory)) {
      checkpoint(store, 10, "a", "a10", "b", "b10");
      checkpoint(store, 20, "a", "a20");
    }
  }

  private void damage(String name) throws IOException {
    byte[] content = directory.read(name, 1 << 20);
    directory.overwrite(name, content.length - 1, content[content.length - 1] ^ 1);
  }

  private void write(String name, byte[] content) throws IOException {
    directory.delete(name);
    try (FileAppender file = directory.create(name)) {
      file.append(content, 0, content.length);
    }
  }

  /** Asserts the text of "a", and the problems found at open. */
  private void assertReads(String text, String... problems) throws IOException {
    try (CheckpointStore store = CheckpointStore.open(directory, OPTIONS, 1)) {
      assertThat(find(store, "a", 20)).contains(text);
      List<String> found = store.status().problems();
      assertThat(found).hasSameSizeAs(problems);
      for (int i = 0; i < problems.length; i++) {
        assertThat(found.get(i)).contains(problems[i]);
      }
      store.start(change -> {});
      Checkpoints.assertNothingIsLeftOver(directory, store);
    }
    try (CheckpointStore store = CheckpointStore.open(directory, OPTIONS, 1)) {
      assertThat(store.status().problems()).isEmpty();
      assertThat(find(store, "a", 20)).contains(text);
    }
  }

  private void assertRefused(int firstJournalSegment, String... facts) throws IOException {
    LossyDirectory before = directory.afterKill();
    assertThatThrownBy(() -> CheckpointStore.open(directory, OPTIONS, firstJournalSegment))
        .isInstanceOf(CorruptCheckpointException.class)
        .satisfies(refusal -> assertThat(refusal.getMessage()).contains(facts));
    assertThat(directory.list()).isEqualTo(before.list());
  }

  @Test
  void usesTheNewestManifestIfCurrentIsDamagedOrMissing() throws IOException {
    damage(CheckpointFiles.CURRENT);
    assertReads("a20", "CURRENT: its checksum is wrong");

    directory.delete(CheckpointFiles.CURRENT);
    assertReads("a20", "CURRENT: it is missing");
  }

  @Test
  void usesTheManifestBeforeADamagedOneIfTheJournalHasTheRest() throws IOException {
    damage("MANIFEST-3");

    assertReads("a10", "MANIFEST-3: the manifest's checksum is wrong");
  }

  @Test
  void usesTheManifestBeforeAMissingOneIfTheJournalHasTheRest() throws IOException {
    directory.delete("MANIFEST-3");

    assertReads("a10", "MANIFEST-3: it is missing");
  }

  @Test
  void usesTheManifestBeforeADamagedRunIfTheJournalHasTheRest() throws IOException {
    damage("run-2");
    assertReads("a10", "run-2: damaged at offset");
  }

  @Test
  void usesTheManifestBeforeAMissingRunIfTheJournalHasTheRest() throws IOException {
    directory.delete("run-2");

    assertReads("a10", "run-2: the file is missing");
  }

  @Test
  void startsEmptyIfOnlyTheWholeJournalIsLeft() throws IOException {
    damage("run-1");

    try (CheckpointStore store = CheckpointStore.open(directory, OPTIONS, 1)) {
      assertThat(find(store, "a", 20)).isEmpty();
      assertThat(store.status().problems()).hasSize(2);
      assertThat(store.status().manifest().checkpointTime()).isEqualTo(VectorClock.ZERO);
    }
  }

  @Test
  void refusesAJournalWithoutTheRecordsOfTheOlderManifest() throws IOException {
    truncateJournalTo(5);
    damage("run-2");

    assertRefused(
        5,
        "run-2: damaged at offset",
        "MANIFEST-5: it needs the journal from segment 4 on, but the journal begins at 5",
        "MANIFEST-0: it needs the journal from segment 1 on, but the journal begins at 5");
  }

  /**
   * Leaves two manifests with both runs, which need the journal from a segment on, or from the one
   * before.
   */
  private void truncateJournalTo(int segment) throws IOException {
    try (CheckpointStore store = start(directory)) {
      store.commit(change -> change.lowWatermark(VectorClock.of(10)).firstSegment(segment - 1));
      store.commit(change -> change.lowWatermark(VectorClock.of(20)).firstSegment(segment));
    }
  }

  @Test
  void refusesWhenTheDamagedManifestAllowedATruncation() throws IOException {
    truncateJournalTo(5);
    damage("MANIFEST-6");

    assertRefused(
        5, "MANIFEST-6: the manifest's checksum is wrong", "MANIFEST-5: it needs the journal");
  }

  @Test
  void usesTheOlderManifestIfTheJournalWasNotYetTruncated() throws IOException {
    truncateJournalTo(5);
    damage("MANIFEST-6");

    try (CheckpointStore store = CheckpointStore.open(directory, OPTIONS, 4)) {
      assertThat(store.status().manifest().lowWatermark()).isEqualTo(VectorClock.of(10));
      assertThat(find(store, "a", 20)).contains("a20");
    }
  }

  @Test
  void refusesWhenTheOlderManifestsRunsWereMerged() throws IOException {
    try (CheckpointStore store = start(directory)) {
      store.commit(change -> change.lowWatermark(VectorClock.of(20)).firstSegment(2));
      assertThat(store.compact(MergeProgress.NONE)).isTrue();
    }
    damage("MANIFEST-6");

    assertRefused(2, "MANIFEST-6: the manifest's checksum", "run-1: the file is missing");
  }

  @Test
  void refusesWhenOnlyTheEndOfTheJournalIsLeft() throws IOException {
    for (String name : directory.list()) {
      directory.delete(name);
    }

    assertRefused(
        2, "MANIFEST-0: it needs the journal from segment 1 on, but the journal begins at 2");
  }

  @Test
  void neverReusesTheEpochOfADamagedManifest() throws IOException {
    long last;
    try (CheckpointStore store = start(directory)) {
      last = store.epoch();
    }
    damage("MANIFEST-4");

    try (CheckpointStore store = start(directory)) {
      assertThat(store.epoch()).isGreaterThan(last);
      assertThat(store.status().manifest().epoch()).isEqualTo(store.epoch());
    }
  }

  @Test
  void refusesANewerManifestAndUsesNoOlderOne() throws IOException {
    String written = new String(directory.read("MANIFEST-3", 1 << 20), US_ASCII);
    String content =
        written.substring(0, written.lastIndexOf("crc32c=")).replace("format=1", "format=9");
    CRC32C crc = new CRC32C();
    crc.update(content.getBytes(US_ASCII));
    write("MANIFEST-3", (content + "crc32c=%08x\n".formatted(crc.getValue())).getBytes(US_ASCII));

    assertThatThrownBy(() -> CheckpointStore.open(directory, OPTIONS, 1))
        .isInstanceOf(CheckpointVersionException.class)
        .hasMessageContaining("MANIFEST-3 has format 9");
  }

  @Test
  void refusesAManifestUnderAnotherName() throws IOException {
    write("MANIFEST-3", directory.read("MANIFEST-2", 1 << 20));

    assertReads("a10", "MANIFEST-3: it contains number 2");
  }

  @Test
  void ignoresAndDeletesUnreferencedFiles() throws IOException {
    byte[] run = directory.read("run-2", 1 << 20);
    for (String name :
        List.of(
            "run-9",
            "run-8.tmp",
            "run-8.sort",
            "run-8.fences",
            "hist-7",
            "MANIFEST-9",
            "CURRENT.new")) {
      try (FileAppender file = directory.create(name)) {
        file.append(run, 0, run.length);
      }
    }
    DirectoryContract.write(directory, "LOCK", "not ours");

    try (CheckpointStore store = start(directory)) {
      assertThat(directory.list())
          .containsExactlyInAnyOrder(
              "CURRENT", "LOCK", "MANIFEST-10", "MANIFEST-3", "run-1", "run-2");
      checkpoint(store, 30, "c", "c30");
      assertThat(store.status().manifest().files())
          .extracting(ManifestFile::name)
          .contains("run-10");
    }
  }

  @Test
  void detectsAnyChangedByteOfAStoreOrIsUnaffected() throws IOException {
    for (String name : directory.list()) {
      byte[] content = directory.read(name, 1 << 20);
      for (int at = 0; at < content.length; at++) {
        directory.overwrite(name, at, content[at] ^ 0x10);
        try (CheckpointStore store = CheckpointStore.open(directory, OPTIONS, 1)) {
          boolean isNewest = store.status().manifest().checkpointTime().equals(VectorClock.of(20));
          assertThat(isNewest || !store.status().problems().isEmpty()).isTrue();
          if (isNewest) {
            assertThat(find(store, "a", 20)).contains("a20");
            assertThat(find(store, "b", 20)).contains("b10");
            assertThat(find(store, "a", 10)).contains("a10");
          }
        } catch (CorruptCheckpointException e) {
          assertThat(e).hasMessageContaining(name);
        }
        directory.overwrite(name, at, content[at]);
      }
    }
  }

  @Test
  void readsALargeManifest() throws IOException {
    try (CheckpointStore store = start(directory)) {
      store.commit(change -> change.attribute("large", "x".repeat(1 << 20)));
    }

    try (CheckpointStore store = start(directory)) {
      assertThat(store.status().manifest().attributes().get("large")).hasSize(1 << 20);
      assertThatThrownBy(
              () ->
                  store.commit(
                      change -> change.attribute("larger", "x".repeat(ManifestFormat.MAX_BYTES))))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertReads("a20");
  }
}
