package io.github.stablecut.checkpoint;

import static io.github.stablecut.checkpoint.Checkpoints.OPTIONS;
import static io.github.stablecut.checkpoint.Checkpoints.checkpoint;
import static io.github.stablecut.checkpoint.Checkpoints.find;
import static io.github.stablecut.checkpoint.Checkpoints.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A full disk, and a disk whose operations fail one at a time. */
class FaultTest {
  private static final List<StoreStep> STEPS =
      List.of(
          new StoreStep.Take(0, List.of(0, 1, 2, 3), false),
          new StoreStep.Take(0, List.of(1, 2, 4, 5), true),
          new StoreStep.Take(1, List.of(0, 4, 6), true),
          new StoreStep.Raise(0),
          new StoreStep.Compact(),
          new StoreStep.Take(0, List.of(2, 7), false));

  private final LossyDirectory directory = new LossyDirectory();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void dropsFailedFilesAndContinues(boolean isError) throws IOException {
    int operations = runWithFault(0, isError);
    int failures = 0;
    for (int fault = 1; fault <= operations; fault++) {
      failures += runWithFault(fault, isError) < 0 ? 1 : 0;
    }
    assertThat(operations).isGreaterThan(80);
    assertThat(failures).as("faults after which the store had to be reopened").isPositive();
  }

  /**
   * Runs the steps with a fault, retrying each until it succeeds.
   *
   * @param isError whether the fault is an error instead of an I/O failure
   * @return the number of operations; negative if the store had to be reopened
   */
  private static int runWithFault(int fault, boolean isError) throws IOException {
    LossyDirectory disk = new LossyDirectory();
    if (isError) {
      disk.failWithErrorAt(fault);
    } else {
      disk.failAt(fault);
    }
    StoreModel model = StoreModel.EMPTY;
    CheckpointStore store = CheckpointStore.open(disk, OPTIONS.withMaxYoungRuns(1), 1);
    boolean wasReopened = !tryStart(store);
    if (wasReopened) {
      store.close();
      store = CheckpointStore.open(disk, OPTIONS.withMaxYoungRuns(1), 1);
      store.start(change -> {});
    }
    for (StoreStep step : STEPS) {
      StoreModel before = model;
      model = step.applyTo(before, store.status().manifest());
      try {
        applyAndRetryIfDropped(store, step, before, model);
      } catch (CheckpointFailedException e) {
        wasReopened = true;
        checkReadOnly(store, before);
        store.close();
        store = CheckpointStore.open(disk, OPTIONS.withMaxYoungRuns(1), before.firstSegment());
        store.start(change -> {});
        if (!model.isOf(store.status().manifest())) {
          step.applyTo(store, before);
        }
      }
      check(store, model);
    }
    assertThat(store.reclaim()).as("fault %d", fault).isZero();
    Checkpoints.assertNothingIsLeftOver(disk, store);
    store.close();
    return wasReopened ? -1 : disk.operations();
  }

  /** Starts a store, retrying once if the first attempt is dropped; returns false if it failed. */
  private static boolean tryStart(CheckpointStore store) {
    for (int attempt = 0; ; attempt++) {
      try {
        store.start(change -> {});
        return true;
      } catch (CheckpointDroppedException | OutOfMemoryError e) {
        assertThat(attempt).isZero();
      } catch (CheckpointFailedException e) {
        return false;
      }
    }
  }

  private static void applyAndRetryIfDropped(
      CheckpointStore store, StoreStep step, StoreModel before, StoreModel after) {
    try {
      step.applyTo(store, before);
    } catch (CheckpointDroppedException e) {
      assertThat(e).hasMessageContaining("injected fault");
      check(store, before);
      step.applyTo(store, before);
    } catch (OutOfMemoryError e) {
      assertThat(e).hasMessageContaining("injected error");
      // It may have occurred after the step, while obsolete files were deleted.
      if (!after.isOf(store.status().manifest())) {
        check(store, before);
        step.applyTo(store, before);
      }
    }
  }

  private static void checkReadOnly(CheckpointStore store, StoreModel model) {
    check(store, model);
    assertThatThrownBy(() -> store.commit(change -> {}))
        .isInstanceOf(CheckpointFailedException.class);
    assertThatThrownBy(() -> store.beginRun(Checkpoint.of(VectorClock.of(999), 1), new byte[0]))
        .isInstanceOf(CheckpointFailedException.class);
  }

  private static void check(CheckpointStore store, StoreModel model) {
    try (CheckpointView view = store.view()) {
      model.check(view);
    }
  }

  @Test
  void dropsARunThatDoesNotFitOnTheDisk() throws IOException {
    try (CheckpointStore store = start(directory)) {
      checkpoint(store, 10, "a", "a10");
      List<String> files = directory.list();
      for (int room : new int[] {0, 1, 100, 4_000, 9_000, 9_500}) {
        directory.setCapacity(used() + room);

        assertThatThrownBy(() -> checkpoint(store, 20, "a", "x".repeat(10_000)))
            .isInstanceOf(CheckpointDroppedException.class)
            .hasMessageContaining("no space");
        assertThat(directory.list()).isEqualTo(files);
        assertThat(find(store, "a", 20)).contains("a10");
      }

      directory.setCapacity(Long.MAX_VALUE);
      checkpoint(store, 20, "a", "a20");
      assertThat(find(store, "a", 20)).contains("a20");
    }
  }

  @Test
  void dropsAChangeThatDoesNotFitOnTheDisk() throws IOException {
    try (CheckpointStore store = start(directory)) {
      checkpoint(store, 10, "a", "a10");
      Manifest before = store.status().manifest();
      List<String> files = directory.list();
      VectorClock at = VectorClock.of(20);
      try (RunWriter writer = Checkpoints.begin(store, at)) {
        ManifestFile run =
            Checkpoints.write(writer, at, new TreeMap<>(Map.of(Bytes.utf8("a"), "a20")));
        directory.setCapacity(used() + 100);

        assertThatThrownBy(() -> store.commit(change -> change.addRun(run)))
            .isInstanceOf(CheckpointDroppedException.class)
            .hasMessageContaining("no space");
      }

      assertThat(store.status().manifest()).isEqualTo(before);
      assertThat(directory.list()).isEqualTo(files);
      assertThat(find(store, "a", 20)).contains("a10");
    }
  }

  private long used() {
    directory.setCapacity(1L << 40);
    return (1L << 40) - directory.usableBytes();
  }

  @Test
  void aCheckpointLeavesAThirdOfTheReserveToTheJournal() throws IOException {
    directory.setCapacity(100_000);
    try (CheckpointStore store = start(directory, OPTIONS.withReserveBytes(240_000))) {
      checkpoint(store, 10, "a", "a10");

      assertThatThrownBy(() -> checkpoint(store, 20, "a", "x".repeat(20_000)))
          .isInstanceOf(CheckpointDroppedException.class)
          .hasMessageContaining("80,000 are reserved for the journal");
      assertThat(directory.usableBytes()).isGreaterThan(80_000);
    }
  }

  @Test
  void aMergeLeavesTheWholeReserve() throws IOException {
    try (CheckpointStore store =
        start(directory, OPTIONS.withMaxYoungRuns(1).withReserveBytes(240_000))) {
      for (int at = 10; at <= 40; at += 10) {
        checkpoint(store, at, "a", "a" + at);
      }
      directory.setCapacity(used() + 240_000);

      assertThatThrownBy(() -> store.compact(MergeProgress.NONE))
          .isInstanceOf(CheckpointDroppedException.class)
          .hasMessageContaining("240,000 are reserved for the journal");
      checkpoint(store, 50, "a", "a50");
    }
  }

  @Test
  void dropsARunWhoseWriterIsClosed() throws IOException {
    try (CheckpointStore store = start(directory)) {
      List<String> files = directory.list();
      try (RunWriter writer = store.beginRun(Checkpoint.of(VectorClock.of(10), 1), new byte[0])) {
        writer.put(Bytes.utf8("a"), 1, 1, new byte[1]);
      }

      assertThat(directory.list()).isEqualTo(files);
    }
  }

  @Test
  void dropsARunThatNoChangeAdded() throws IOException {
    try (CheckpointStore store = start(directory)) {
      List<String> files = directory.list();
      VectorClock at = VectorClock.of(10);
      try (RunWriter writer = Checkpoints.begin(store, at)) {
        ManifestFile run = Checkpoints.write(writer, at, new TreeMap<>());
        assertThat(directory.list()).contains(run.name());
      }

      assertThat(directory.list()).isEqualTo(files);
    }
  }

  @Test
  void refusesAnIdThatIsNotAboveThePreviousOne() throws IOException {
    try (CheckpointStore store = start(directory);
        RunWriter writer = store.beginRun(Checkpoint.of(VectorClock.of(10), 1), new byte[0])) {
      writer.put(Bytes.utf8("b"), 1, 1, new byte[1]);

      assertThatThrownBy(() -> writer.put(Bytes.utf8("a"), 1, 1, new byte[1]))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.put(Bytes.utf8("b"), 1, 1, new byte[1]))
          .isInstanceOf(IllegalArgumentException.class);
      writer.put(Bytes.utf8("c"), 1, 1, new byte[1]);
      ManifestFile run = writer.finish();
      store.commit(change -> change.addRun(run));

      assertThat(find(store, "c", 10)).isPresent();
      assertThat(store.status().entries()).containsExactly(2L);
    }
  }

  @Test
  void refusesSnapshotsBelowTheLowWatermark() throws IOException {
    try (CheckpointStore store = start(directory)) {
      checkpoint(store, 10, "a", "a10");
      checkpoint(store, 20, "a", "a20");
      store.commit(change -> change.lowWatermark(VectorClock.of(20)));

      assertThatThrownBy(() -> find(store, "a", 19))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("[19]")
          .hasMessageContaining("[20]");
      assertThat(find(store, "a", 20)).contains("a20");
    }
  }
}
