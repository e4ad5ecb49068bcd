package io.github.stablecut.checkpoint.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Counts the disk reads for lookups in a run that is not in memory. */
class ColdFindTest {
  private static final IdHash HASH = SipHash.ofSeed(42);
  private static final int ENTRIES = 40_000;
  private static final int STATE_BYTES = 100;

  /** The number of lookups after which the fences are in memory if they fit. */
  private static final int FIRST_FINDS = 300;

  /** A number of lookups that leaves some blocks of the index unused. */
  private static final int FEW_FINDS = 100;

  private static final int FINDS = 1_000;

  private final CountedReads reads = new CountedReads(false);
  private final Random random = new Random(7);
  private LossyDirectory disk = new LossyDirectory();
  private ManifestFile name = new ManifestFile("run-1", Runs.CHECKPOINT.at(), 1, 0);

  @BeforeEach
  void write() throws IOException {
    disk = new LossyDirectory();
    try (RunBuilder builder = new RunBuilder(disk, "run-1", HASH, Runs.LIMITS)) {
      for (int i = 0; i < 2 * ENTRIES; i += 2) {
        builder.add(RunFormat.stateEntry(id(i), Runs.TYPE, i, new byte[STATE_BYTES]));
      }
      name = builder.finish(Runs.CHECKPOINT, new byte[0]);
    }
  }

  @Test
  void aLookupIsOneReadOnceTheFencesAreInMemory() throws IOException {
    RunFile run = RunFile.open(reads.in(disk), name);
    findMany(run, FIRST_FINDS);
    reads.reset();

    for (int n = 0; n < FINDS; n++) {
      assertThat(find(run, 2 * random.nextInt(ENTRIES))).isPresent();
    }

    assertThat(reads.calls()).isEqualTo(FINDS);
    assertThat(reads.bytes() / FINDS).isLessThan(RunFormat.FENCE_SPACING + 2 * STATE_BYTES);
    run.close();
  }

  @Test
  void doesNotReadALargeObjectForItsSmallNeighbour() throws IOException {
    disk = new LossyDirectory();
    try (RunBuilder builder = new RunBuilder(disk, "run-1", HASH, Runs.LIMITS)) {
      for (int i = 0; i < 2 * ENTRIES; i += 2) {
        int length = i % 10_000 == 0 ? 900_000 : STATE_BYTES;
        builder.add(RunFormat.stateEntry(id(i), Runs.TYPE, i, new byte[length]));
      }
      name = builder.finish(Runs.CHECKPOINT, new byte[0]);
    }
    RunFile run = RunFile.open(reads.in(disk), name);
    findMany(run, FIRST_FINDS);
    reads.reset();

    for (int i = 10_000; i < 2 * ENTRIES; i += 10_000) {
      assertThat(find(run, i - 2)).isPresent();
    }

    assertThat(reads.bytes()).isLessThan(7 * (128 << 10));
    run.close();
  }

  @Test
  void mostLookupsOfMissingObjectsNeedNoRead() throws IOException {
    RunFile run = RunFile.open(reads.in(disk), name);
    findMany(run, FIRST_FINDS);
    reads.reset();

    for (int n = 0; n < FINDS; n++) {
      assertThat(find(run, 2 * random.nextInt(ENTRIES) + 1)).isEmpty();
    }

    assertThat(reads.calls()).isLessThan(FINDS / 40);
    run.close();
  }

  @Test
  void loadsTheFencesSequentiallyAfterAFewLookups() throws IOException {
    CountedReads kept = new CountedReads(true);
    RunFile run = RunFile.open(kept.in(disk), name);
    long finds = 0;
    while (!run.tables().hasFencesInMemory()) {
      findMany(run, 1);
      finds++;
    }

    assertThat(finds).isLessThan(20);
    long perFind = 4;
    long loaded = RunTables.loadedBytes(run.footer()) / (64 << 10) + 3;
    assertThat(kept.calls()).isLessThan(finds * perFind + 3 * loaded);
    run.close();
  }

  @Test
  void loadsOnlyTheFencesIfTheFilterDoesNotFit() throws IOException {
    long reserved = reserveAll();
    RunFile run = RunFile.open(reads.in(disk), name);
    long forFences = LoadedFences.bytes(run.footer());
    LoadedFences.release(forFences);
    try {
      findMany(run, FIRST_FINDS);
      assertThat(run.tables().hasFencesInMemory()).isTrue();
      reads.reset();

      findMany(run, FINDS);

      assertThat(reads.calls()).isEqualTo(FINDS);
      run.close();
    } finally {
      assertThat(LoadedFences.tryReserve(forFences)).isTrue();
      LoadedFences.release(reserved);
    }
  }

  /** Like a store whose objects are in a base and some younger runs. */
  @Test
  void aLookupInSeveralRunsIsAboutOneRead() throws IOException {
    List<RunFile> newestFirst = new ArrayList<>();
    for (int number = 6; number > 1; number--) {
      newestFirst.add(RunFile.open(reads.in(disk), writeYoung("run-" + number, number)));
    }
    newestFirst.add(RunFile.open(reads.in(disk), name));
    newestFirst.forEach(run -> findNone(run, FIRST_FINDS));
    newestFirst.forEach(run -> assertThat(run.tables().hasFencesInMemory()).isTrue());
    reads.reset();

    for (int n = 0; n < FINDS; n++) {
      int wanted = 2 * random.nextInt(ENTRIES);
      boolean isFound = false;
      for (RunFile run : newestFirst) {
        isFound = isFound || find(run, wanted).isPresent();
      }
      assertThat(isFound).isTrue();
    }

    assertThat(reads.calls()).isBetween((long) FINDS, FINDS + FINDS / 8L);
    newestFirst.forEach(RunFile::close);
  }

  private ManifestFile writeYoung(String run, int seed) throws IOException {
    try (RunBuilder builder = new RunBuilder(disk, run, HASH, Runs.LIMITS)) {
      for (int i = seed; i < 2 * ENTRIES; i += 40) {
        builder.add(RunFormat.stateEntry(id(2 * ENTRIES + i), Runs.TYPE, i, new byte[STATE_BYTES]));
      }
      return builder.finish(Runs.CHECKPOINT, new byte[0]);
    }
  }

  private void findNone(RunFile run, int times) {
    for (int n = 0; n < times; n++) {
      assertThat(find(run, 2 * random.nextInt(ENTRIES) + 1)).isEmpty();
    }
  }

  @Test
  void readsTheIndexIfTheFencesDoNotFit() throws IOException {
    long reserved = reserveAll();
    try {
      RunFile run = RunFile.open(disk, name);

      findMany(run, FINDS);

      assertThat(run.tables().hasFencesInMemory()).isFalse();
      run.close();
    } finally {
      LoadedFences.release(reserved);
    }
  }

  @Test
  void aClosedRunReleasesItsMemory() throws IOException {
    long reserved = reserveAll();
    RunFile first = RunFile.open(disk, name);
    long forOne = RunTables.loadedBytes(first.footer());
    LoadedFences.release(forOne);
    try {
      RunFile second = RunFile.open(disk, name);
      assertThat(hasFencesAfter(FIRST_FINDS, first)).isTrue();
      assertThat(hasFencesAfter(FEW_FINDS, second)).isFalse();

      first.close();

      assertThat(hasFencesAfter(FINDS, second)).isTrue();
      second.close();
      second.close();
    } finally {
      assertThat(LoadedFences.tryReserve(forOne)).isTrue();
      LoadedFences.release(reserved);
    }
  }

  @Test
  void anObjectBesideADamagedOneIsFoundByTheIndex() throws IOException {
    RunFile intact = RunFile.open(disk, name);
    int afterFence = ENTRIES / 2;
    while (offsetFor(intact, afterFence) == offsetFor(intact, afterFence - 2)) {
      afterFence += 2;
    }
    long state = offsetFor(intact, afterFence) + RunFormat.ENTRY_HEAD_BYTES + id(0).length;
    intact.close();
    disk.overwrite(name.name(), state, 1);
    RunFile run = RunFile.open(disk, name);
    for (int i = 0; i < FIRST_FINDS; i++) {
      assertThat(find(run, 2 * random.nextInt(afterFence / 2 - 1_000))).isPresent();
    }
    assertThat(run.tables().hasFencesInMemory()).isTrue();
    int damaged = afterFence;

    assertThat(find(run, damaged + 2)).isPresent();
    assertThatThrownBy(() -> find(run, damaged))
        .isInstanceOf(CorruptCheckpointException.class)
        .hasMessageContaining(name.name());
    run.close();
  }

  private static long offsetFor(RunFile run, int i) {
    return run.tables().offsetFor(id(i));
  }

  private boolean hasFencesAfter(int finds, RunFile run) {
    findMany(run, finds);
    return run.tables().hasFencesInMemory();
  }

  /** Looks up existing and missing objects. */
  private void findMany(RunFile run, int times) {
    for (int n = 0; n < times; n++) {
      int i = random.nextInt(2 * ENTRIES);
      Optional<RunEntry> found = find(run, i);
      assertThat(found.map(RunEntry::lastCommitTime))
          .isEqualTo(i % 2 == 0 ? Optional.of((long) i) : Optional.empty());
    }
  }

  private static Optional<RunEntry> find(RunFile run, int i) {
    return run.find(id(i), HASH.of(id(i)));
  }

  private static byte[] id(int i) {
    return Bytes.utf8("object %08d".formatted(i)).toArray();
  }

  /** Reserves the whole memory budget for fences. */
  private static long reserveAll() {
    long reserved = 0;
    for (long part = Long.highestOneBit(Runtime.getRuntime().maxMemory()); part > 0; part /= 2) {
      reserved += LoadedFences.tryReserve(part) ? part : 0;
    }
    return reserved;
  }
}
