package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.error.BackupRefusedException;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups of running stores, and the stores restored from them. */
final class BackupTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final TextKey TEXT = Key.text("b", "text");

  /** Truncates and merges as much as possible. */
  private static final StoreOptions FORGETFUL =
      StoreOptions.defaults()
          .withCheckpoints(CheckpointPolicy.defaults().withRetention(Duration.ZERO));

  @TempDir private Path temporary;

  private Path data() {
    return temporary.resolve("data");
  }

  private Path backup() {
    return temporary.resolve("backup");
  }

  private Path restored() {
    return temporary.resolve("restored");
  }

  private void restore() {
    Stablecut.restore(backup(), restored(), BackupProgress.NONE);
  }

  private CausalToken makeBackup() {
    try (Store store = Stablecut.open(data())) {
      store.update(COUNTER.increment(7), TEXT.insert(0, "seven"));
      store.checkpoint();
      store.update(COUNTER.increment(1));
      return store.backup(backup());
    }
  }

  @Test
  void restoredStoreHasTheBackedUpDataAndContinues() {
    makeBackup();
    restore();

    try (Store store = Stablecut.open(restored())) {
      assertThat(store.read(COUNTER)).isEqualTo(8);
      assertThat(store.read(TEXT)).hasToString("seven");
      store.update(COUNTER.increment(1), TEXT.delete(0, 1));
    }
    try (Store store = Stablecut.open(restored())) {
      assertThat(store.read(COUNTER)).isEqualTo(9);
      assertThat(store.read(TEXT)).hasToString("even");
      store.checkpoint();
      assertThat(store.read(TEXT)).hasToString("even");
    }
  }

  @Test
  void backsUpAnEmptyStore() {
    try (Store store = Stablecut.open(data())) {
      store.backup(backup());
    }
    restore();

    try (Store store = Stablecut.open(restored());
        Scan scan = store.snapshot().scan()) {
      assertThat(scan).isExhausted();
    }
  }

  @Test
  void backupIsOneSnapshotWithAllEarlierAcknowledgedCommits() throws Exception {
    CounterKey left = Key.counter("accounts", "left");
    CounterKey right = Key.counter("accounts", "right");
    AtomicLong acknowledged = new AtomicLong();
    AtomicBoolean ends = new AtomicBoolean();
    List<Long> atLeast = new ArrayList<>();
    try (Store store = Stablecut.open(data(), FORGETFUL)) {
      Thread writer =
          new Thread(
              () -> {
                while (!ends.get()) {
                  store.update(left.increment(1), right.decrement(1));
                  acknowledged.incrementAndGet();
                }
              });
      writer.start();
      for (int i = 0; i < 5; i++) {
        atLeast.add(acknowledged.get());
        store.backup(temporary.resolve("backup" + i));
        store.checkpoint();
      }
      ends.set(true);
      writer.join();
    }

    for (int i = 0; i < 5; i++) {
      Path path = temporary.resolve("restored" + i);
      Stablecut.restore(temporary.resolve("backup" + i), path, BackupProgress.NONE);
      try (Store store = Stablecut.open(path)) {
        Values values = store.read(List.of(left, right));
        assertThat(values.get(left)).isGreaterThanOrEqualTo(atLeast.get(i));
        assertThat(values.get(left)).isEqualTo(-values.get(right));
      }
    }
  }

  @Test
  void backupKeepsFilesThatTheStoreDeletes() throws IOException {
    makeBackup();
    assertThat(
            Files.isSameFile(backup().resolve("p0/run-1"), data().resolve("p0/checkpoint/run-1")))
        .as("no byte was copied")
        .isTrue();
    try (Store store = Stablecut.open(data(), FORGETFUL)) {
      for (int i = 0; i < 20; i++) {
        store.update(COUNTER.increment(1));
        store.checkpoint();
      }
    }
    try (Stream<Path> files = Files.list(data().resolve("p0/checkpoint"))) {
      assertThat(files.map(file -> file.getFileName().toString())).doesNotContain("run-1");
    }

    restore();

    try (Store store = Stablecut.open(restored())) {
      assertThat(store.read(COUNTER)).isEqualTo(8);
    }
  }

  @Test
  void restoredStoreRefusesTokensOfTheOriginalAndSaysWhy() {
    CausalToken token = makeBackup();
    restore();

    try (Store store = Stablecut.open(restored())) {
      assertThatThrownBy(() -> store.at(token))
          .isInstanceOf(UnknownSnapshotException.class)
          .hasMessageContaining("restored from a backup of it")
          .hasMessageContaining("%016x".formatted(token.storeId()));
      CausalToken own = store.update(COUNTER.increment(1));
      assertThat(own.vector().max()).isGreaterThan(token.vector().max());
      assertThat(store.at(own).read(COUNTER)).isEqualTo(9);
    }
  }

  @Test
  void restoredClockIsAboveTheBackupEvenIfTheMachineClockIsBehind() {
    CausalToken token = makeBackup();
    restore();

    StoreOptions behind = StoreOptions.defaults().withClock(() -> Instant.EPOCH);
    try (Store store = Stablecut.open(restored(), behind)) {
      assertThat(store.update(COUNTER.increment(1)).vector().max())
          .isGreaterThan(token.vector().max());
      assertThat(store.read(COUNTER)).isEqualTo(9);
    }
  }

  private void assertRefused(Path target, String... parts) {
    try (Store store = Stablecut.open(data())) {
      assertThatThrownBy(() -> store.backup(target))
          .isInstanceOf(BackupRefusedException.class)
          .hasMessageContainingAll(parts);
    }
    assertThatThrownBy(() -> Stablecut.restore(backup(), target, BackupProgress.NONE))
        .isInstanceOf(BackupRefusedException.class)
        .hasMessageContainingAll(parts);
  }

  @Test
  void refusesANonEmptyTargetAndLeavesItAlone() throws IOException {
    makeBackup();
    Path file = Files.writeString(Files.createDirectory(restored()).resolve("thesis"), "work");

    assertRefused(restored(), "is not empty", "thesis");
    assertRefused(file, "is a file");
    assertThat(file).hasContent("work");
    assertThat(restored()).isDirectoryContaining(file::equals);
  }

  @Test
  void refusesATargetInAStoreOrABackup() throws IOException {
    makeBackup();
    for (Path around : List.of(data(), backup())) {
      assertRefused(around.resolve("p0/deep/replica"), "is in " + around.toRealPath(), "elsewhere");
      assertThat(around.resolve("p0/deep")).doesNotExist();
    }

    Files.writeString(temporary.resolve("BACKUP"), "of something else");
    Stablecut.restore(backup(), restored());
    Stablecut.open(restored()).close();
  }

  @Test
  void refusesAnythingButAFinishedBackup() throws IOException {
    makeBackup();
    assertThatThrownBy(() -> Stablecut.restore(data(), restored(), BackupProgress.NONE))
        .isInstanceOf(BackupRefusedException.class)
        .hasMessageContaining("no file BACKUP");
    Files.writeString(backup().resolve("BACKUP"), "of something else");

    assertThatThrownBy(this::restore)
        .isInstanceOf(BackupRefusedException.class)
        .hasMessageContaining("stablecut backup");
    assertThat(restored()).doesNotExist();
  }

  private List<Path> filesOfBackup() throws IOException {
    try (Stream<Path> files = Files.walk(backup())) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  @Test
  void namesEachDamagedFileAndCreatesNoStore() throws IOException {
    makeBackup();
    assertThat(filesOfBackup()).hasSizeGreaterThan(4);
    for (Path file : filesOfBackup()) {
      byte[] good = Files.readAllBytes(file);
      for (int at : List.of(good.length / 2, good.length - 1)) {
        byte[] bad = good.clone();
        bad[at] ^= 1;
        assertNotRestored(file, bad);
      }
      assertNotRestored(file, Arrays.copyOf(good, good.length - 1));
      assertNotRestored(file, Arrays.copyOf(good, good.length + 1));
      Files.write(file, good);
    }
    restore();
  }

  private void assertNotRestored(Path file, byte[] content) throws IOException {
    Files.write(file, content);
    assertThatThrownBy(this::restore)
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContainingAll(file.toString(), "damaged");
    assertThat(restored()).doesNotExist();
  }

  @Test
  void namesAMissingFileAndCreatesNoStore() throws IOException {
    makeBackup();
    Path run = backup().resolve("p0/run-1");
    Files.delete(run);
    Files.createDirectory(restored());

    assertThatThrownBy(this::restore)
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContainingAll(run.toString(), "missing");
    assertThat(restored()).isEmptyDirectory();
  }

  @Test
  void refusesToBackUpAStoreWithADamagedFile() throws IOException {
    makeBackup();
    Path run = data().resolve("p0/checkpoint/run-1");
    byte[] bytes = Files.readAllBytes(run);
    bytes[4096 + 20] ^= 1;
    Files.write(run, bytes);

    try (Store store = Stablecut.open(data())) {
      assertThatThrownBy(() -> store.backup(temporary.resolve("other")))
          .isInstanceOf(CorruptCheckpointException.class)
          .hasMessageContaining(run.toString());
    }
    assertThat(temporary.resolve("other")).doesNotExist();
  }

  @Test
  void opensNeitherABackupNorAnUnfinishedRestoreAsAStore() throws IOException {
    makeBackup();
    assertThatThrownBy(() -> Stablecut.open(backup()))
        .isInstanceOf(NotAStoreException.class)
        .hasMessageContaining("it is a backup");

    restore();
    Files.move(restored().resolve("STABLECUT"), restored().resolve("STABLECUT.restore"));
    assertThatThrownBy(() -> Stablecut.open(restored()))
        .isInstanceOf(NotAStoreException.class)
        .hasMessageContaining("interrupted");
  }

  @Test
  void failedBackupLeavesNoDirectory() throws IOException {
    try (Store store = Stablecut.open(data())) {
      store.update(COUNTER.increment(7));
      store.checkpoint();
      store.update(COUNTER.increment(1));
      Files.delete(data().resolve("p0/checkpoint/run-1"));

      assertThatThrownBy(() -> store.backup(backup())).isInstanceOf(StablecutException.class);
      assertThat(backup()).doesNotExist();

      Files.createDirectory(backup());
      assertThatThrownBy(() -> store.backup(backup())).isInstanceOf(StablecutException.class);
      assertThat(backup()).isEmptyDirectory();
    }
  }

  @Test
  void failedBackupLeavesTheStoreUnchanged() throws IOException {
    Path file = Files.writeString(temporary.resolve("file"), "work");
    try (Store store = Stablecut.open(data())) {
      store.update(COUNTER.increment(7));

      assertThatThrownBy(() -> store.backup(file.resolve("backup")))
          .isInstanceOf(StoreIoException.class)
          .hasMessageContaining("was deleted");

      store.update(COUNTER.increment(1));
      assertThat(store.read(COUNTER)).isEqualTo(8);
      store.backup(backup());
    }
    assertThat(file).hasContent("work");
  }

  @Test
  void progressEndsWithAllBytes() {
    makeBackup();
    List<Long> left = new ArrayList<>();

    Stablecut.restore(backup(), restored(), (done, total) -> left.add(total - done));

    assertThat(left).isNotEmpty().allMatch(bytes -> bytes >= 0).endsWith(0L);
  }
}
