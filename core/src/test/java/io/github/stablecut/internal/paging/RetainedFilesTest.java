package io.github.stablecut.internal.paging;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointFiles;
import io.github.stablecut.checkpoint.CheckpointOptions;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.RunWriter;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.set.AddWinsSet;
import java.io.IOException;
import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Readers at the same checkpoint use the same pages, and no reader retains files that a merge
 * replaced.
 */
final class RetainedFilesTest {
  private static final Bytes OBJECT = Bytes.utf8("object");

  private static final int MAX_COLLECTIONS = 500;

  private final LossyDirectory directory = new LossyDirectory();
  private final CheckpointStore store;
  private final RetainedFiles known = new RetainedFiles();

  RetainedFilesTest() throws IOException {
    store =
        CheckpointStore.open(
            directory, CheckpointOptions.DEFAULTS.withReserveBytes(0).withMaxYoungRuns(1), 1);
    store.start(change -> {});
  }

  /** A checkpoint whose page 1 holds its number. */
  private void checkpoint(int at, int lowWatermark) {
    try (RunWriter writer = store.beginRun(Checkpoint.of(at(at), at), new byte[0])) {
      writer.put(PageIds.of(OBJECT, 1), AddWinsSet.TYPE.typeId(), at, new byte[] {(byte) at});
      writer.put(Bytes.utf8("other " + at), AddWinsSet.TYPE.typeId(), at, new byte[1]);
      ManifestFile run = writer.finish();
      store.commit(change -> change.addRun(run).lowWatermark(at(lowWatermark)));
    }
  }

  private static VectorClock at(long time) {
    return VectorClock.of(time);
  }

  private PageFiles filesAt(int time) {
    try (CheckpointView view = store.view()) {
      return known.of(view, at(time));
    }
  }

  private void merge() {
    while (store.compact((written, atMost) -> true)) {
      try (CheckpointView view = store.view()) {
        known.moveTo(view);
      }
    }
    store.reclaim();
  }

  private List<String> runs() throws IOException {
    return directory.list().stream()
        .filter(name -> CheckpointFiles.fileNumber(name).isPresent())
        .toList();
  }

  private static void assertReads(PageFiles files, int number) {
    assertThat(files.read(OBJECT, 1)).containsExactly(number);
  }

  @Test
  void aScanFromBeforeACheckpointAndLaterReadersKeepTheirOwnFiles() {
    checkpoint(10, 10);
    try (CheckpointView ofScan = store.view()) {
      PageFiles before = known.of(ofScan, at(10));
      checkpoint(20, 20);
      PageFiles after = filesAt(20);
      for (int i = 0; i < 3; i++) {
        assertThat(known.of(ofScan, at(10))).isSameAs(before);
        assertThat(filesAt(20)).isSameAs(after);
      }
      assertReads(before, 10);
      assertReads(after, 20);
    }
  }

  @Test
  void readersOfAnOldSnapshotFindTheOlderFiles() {
    checkpoint(10, 10);
    checkpoint(20, 10);
    PageFiles newest = filesAt(20);
    PageFiles old = filesAt(10);

    assertThat(filesAt(20)).isSameAs(newest);
    assertThat(filesAt(10)).isSameAs(old).isNotSameAs(newest);
    assertReads(old, 10);
  }

  @Test
  void releasesMergedFilesAlthoughAVersionIsHeld() throws IOException {
    checkpoint(10, 10);
    checkpoint(20, 20);
    checkpoint(30, 30);
    PageFiles held = filesAt(30);
    assertThat(runs()).hasSize(3);

    merge();

    assertThat(runs()).hasSize(1);
    assertThat(filesAt(30)).isSameAs(held);
    assertReads(held, 30);
  }

  @Test
  void aReaderInAnOlderViewDoesNotRestoreReplacedFiles() throws IOException {
    checkpoint(10, 10);
    checkpoint(20, 20);
    checkpoint(30, 30);
    PageFiles held = filesAt(30);
    try (CheckpointView old = store.view()) {
      merge();
      assertThat(known.of(old, at(30))).isSameAs(held);
      held.moveTo(old);
    }
    store.reclaim();

    assertThat(runs()).hasSize(1);
    assertReads(held, 30);
  }

  @Test
  void aValueOfACheckpointRemovedByAMergeIsReadFromItsOldFiles() throws IOException {
    checkpoint(10, 10);
    checkpoint(20, 10);
    PageFiles old = filesAt(20);
    checkpoint(30, 30);
    checkpoint(40, 40);

    merge();

    assertReads(old, 20);
    assertReads(filesAt(40), 40);
    assertThat(runs().size()).isGreaterThan(1);
  }

  @Test
  void notifiesTheDeleterWhenFilesAreReleased() throws InterruptedException {
    CountDownLatch notified = new CountDownLatch(1);
    Runnable notifier = notified::countDown;
    known.whenReleased(notifier);
    checkpoint(10, 10);
    assertReads(filesAt(10), 10);

    known.forget();
    assertNotified(notified, notifier);
  }

  @Test
  void releasesTheFilesOfAnAbandonedStore() throws InterruptedException {
    CountDownLatch notified = new CountDownLatch(1);
    Runnable notifier = notified::countDown;
    checkpoint(10, 10);
    abandon(notifier);
    assertNotified(notified, notifier);
  }

  private static void assertNotified(CountDownLatch notified, Runnable notifier)
      throws InterruptedException {
    try {
      for (int i = 0; i < MAX_COLLECTIONS && notified.getCount() > 0; i++) {
        System.gc();
        notified.await(10, MILLISECONDS);
      }
      assertThat(notified.getCount()).isZero();
    } finally {
      Reference.reachabilityFence(notifier);
    }
  }

  /** Only the abandoned store holds its newest files. */
  private void abandon(Runnable notifier) {
    RetainedFiles abandoned = new RetainedFiles();
    abandoned.whenReleased(notifier);
    try (CheckpointView view = store.view()) {
      assertReads(abandoned.of(view, at(10)), 10);
    }
  }
}
