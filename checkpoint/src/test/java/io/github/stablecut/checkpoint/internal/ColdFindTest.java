package io.github.stablecut.checkpoint.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How often the disk is read to find objects of a run that is not in memory. */
class ColdFindTest {
  private static final IdHash HASH = SipHash.ofSeed(42);
  private static final int ENTRIES = 40_000;
  private static final int STATE_BYTES = 100;

  /** After so many the fences are in memory, or could have been. */
  private static final int FIRST_FINDS = 300;

  /** After so many the index has blocks left that were never used. */
  private static final int FEW_FINDS = 100;

  private static final int FINDS = 1_000;

  private final CountedReads reads = new CountedReads(true);
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
  void isOneReadOfTheDiskOnceTheFencesAreInMemory() throws IOException {
    RunFile run = RunFile.open(reads.in(disk), name);
    findMany(run, FIRST_FINDS);
    reads.reset();

    findMany(run, FINDS);

    assertThat(reads.calls()).isLessThan(FINDS + FINDS / 20);
    assertThat(reads.bytes() / reads.calls()).isLessThan(2 * RunFormat.FENCE_SPACING);
    run.close();
  }

  @Test
  void readsTheIndexWhereThereIsNoRoomForFences() throws IOException {
    long taken = takeAllRoom();
    try {
      RunFile run = RunFile.open(disk, name);

      findMany(run, FINDS);

      assertThat(run.tables().hasFencesInMemory()).isFalse();
      run.close();
    } finally {
      LoadedFences.giveRoom(taken);
    }
  }

  @Test
  void aClosedRunGivesItsRoomBack() throws IOException {
    long taken = takeAllRoom();
    RunFile first = RunFile.open(disk, name);
    long forOne = LoadedFences.bytes(first.footer());
    LoadedFences.giveRoom(forOne);
    try {
      RunFile second = RunFile.open(disk, name);
      assertThat(hasFencesAfter(FIRST_FINDS, first)).isTrue();
      assertThat(hasFencesAfter(FEW_FINDS, second)).isFalse();

      first.close();

      assertThat(hasFencesAfter(FINDS, second)).isTrue();
      second.close();
      second.close();
    } finally {
      assertThat(LoadedFences.takeRoom(forOne)).isTrue();
      LoadedFences.giveRoom(taken);
    }
  }

  @Test
  void anObjectWhoseNeighbourIsDamagedIsFoundByTheIndex() throws IOException {
    RunFile intact = RunFile.open(disk, name);
    int behindFence = ENTRIES / 2;
    while (offsetFor(intact, behindFence) == offsetFor(intact, behindFence - 2)) {
      behindFence += 2;
    }
    long state = offsetFor(intact, behindFence) + RunFormat.ENTRY_HEAD_BYTES + id(0).length;
    intact.close();
    disk.overwrite(name.name(), state, 1);
    RunFile run = RunFile.open(disk, name);
    for (int i = 0; i < FIRST_FINDS; i++) {
      assertThat(find(run, 2 * random.nextInt(behindFence / 2 - 1_000))).isPresent();
    }
    assertThat(run.tables().hasFencesInMemory()).isTrue();
    int damaged = behindFence;

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

  /** Looks for some objects and for some that are not there. */
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

  /** All room that runs have for fences. */
  private static long takeAllRoom() {
    long taken = 0;
    for (long part = Long.highestOneBit(Runtime.getRuntime().maxMemory()); part > 0; part /= 2) {
      taken += LoadedFences.takeRoom(part) ? part : 0;
    }
    return taken;
  }
}
