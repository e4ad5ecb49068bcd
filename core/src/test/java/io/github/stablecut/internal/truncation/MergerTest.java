package io.github.stablecut.internal.truncation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointFiles;
import io.github.stablecut.checkpoint.CheckpointOptions;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.RateClock;
import io.github.stablecut.checkpoint.RunWriter;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.internal.thread.FaultLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A long merge can be stopped, and its partial output is discarded without loss. */
final class MergerTest {
  /** A merge takes three writes, each of which waits. */
  private static final int ENTRY_BYTES = 1 << 20;

  private static final int ENTRIES = 3;

  private final LossyDirectory directory = new LossyDirectory();
  private final WaitingClock clock = new WaitingClock();
  private final CountDownLatch merged = new CountDownLatch(1);
  private final CheckpointStore store = open();
  private final Merger merger = new Merger(store, merged::countDown, "test", new FaultLog());

  /** A clock that stands still and ends a sleep only on request. */
  private static final class WaitingClock implements RateClock {
    private final Semaphore asleep = new Semaphore(0);
    private final Semaphore mayWake = new Semaphore(0);

    @Override
    public long nanoTime() {
      return 0;
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
      asleep.release();
      mayWake.acquire();
    }
  }

  private CheckpointStore open() {
    CheckpointOptions few = CheckpointOptions.DEFAULTS.withMaxYoungRuns(1);
    CheckpointOptions slow =
        new CheckpointOptions(few.forceBytes(), 0, 1, 0, 1, clock, few.hashSeeds());
    try {
      CheckpointStore opened = CheckpointStore.open(directory, slow, 1);
      opened.start(change -> {});
      return opened;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void thereIsSomethingToMerge() {
    checkpoint(10);
    checkpoint(20);
    checkpoint(30);
    merger.start();
  }

  private void checkpoint(long at) {
    try (RunWriter writer = store.beginRun(Checkpoint.of(VectorClock.of(at), at), new byte[0])) {
      for (int i = 0; i < ENTRIES; i++) {
        writer.put(Bytes.utf8("object " + i), PnCounter.TYPE.typeId(), at, new byte[ENTRY_BYTES]);
      }
      ManifestFile run = writer.finish();
      store.commit(change -> change.addRun(run).lowWatermark(VectorClock.of(at)));
    }
  }

  @AfterEach
  void close() {
    clock.mayWake.release(Integer.MAX_VALUE / 2);
    merger.close();
    store.close();
  }

  private int runs() {
    return store.status().manifest().runs().size();
  }

  private void assertNothingIsLeftOver() {
    List<String> others = new ArrayList<>(directory.list());
    others.removeAll(store.status().manifest().files().stream().map(ManifestFile::name).toList());
    assertThat(others)
        .allMatch(
            name ->
                name.equals(CheckpointFiles.CURRENT)
                    || CheckpointFiles.manifestNumber(name).isPresent());
  }

  @Test
  void reportsItsProgressAndRestsAfterwards() throws Exception {
    merger.request();
    clock.asleep.acquire();
    assertThat(merger.progress().writtenBytes())
        .isBetween((long) ENTRY_BYTES / 2, merger.progress().atMostBytes());

    clock.mayWake.release(Integer.MAX_VALUE / 2);
    merged.await();
    assertThat(runs()).isLessThan(3);
  }

  @Test
  void checkpointsDoNotWaitForAMerge() throws Exception {
    merger.request();
    clock.asleep.acquire();
    checkpoint(40);
    assertThat(runs()).isEqualTo(4);

    clock.mayWake.release(Integer.MAX_VALUE / 2);
    merged.await();
    assertThat(runs()).isLessThan(4);
  }

  @Test
  void aSuspendedMergerDropsItsMergeAndRestartsItLater() throws Exception {
    merger.request();
    clock.asleep.acquire();
    CompletableFuture<Void> suspended = CompletableFuture.runAsync(merger::suspend);
    while (!merger.isStopped()) {
      Thread.onSpinWait();
    }
    clock.mayWake.release();
    suspended.join();

    assertThat(runs()).isEqualTo(3);
    assertThat(merger.progress()).isEqualTo(MergeProgress.NONE);
    assertNothingIsLeftOver();
    merger.request();
    assertThat(runs()).isEqualTo(3);

    clock.mayWake.release(Integer.MAX_VALUE / 2);
    merger.resume();
    merged.await();
    assertThat(runs()).isLessThan(3);
    assertNothingIsLeftOver();
  }

  @Test
  void aClosedMergerDropsItsMerge() throws Exception {
    merger.request();
    clock.asleep.acquire();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(merger::close);
    while (!merger.isStopped()) {
      Thread.onSpinWait();
    }
    clock.mayWake.release();
    closed.join();

    assertThat(runs()).isEqualTo(3);
    assertNothingIsLeftOver();
  }
}
