package io.github.stablecut.checkpoint;

import static io.github.stablecut.checkpoint.Checkpoints.OPTIONS;
import static io.github.stablecut.checkpoint.Checkpoints.checkpoint;
import static io.github.stablecut.checkpoint.Checkpoints.find;
import static io.github.stablecut.checkpoint.Checkpoints.scan;
import static io.github.stablecut.checkpoint.Checkpoints.start;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers concurrent with changes and merges. Protocol section 8, scenarios 33 and 35. */
class ReadersTest {
  private static final CheckpointOptions ONE_YOUNG = OPTIONS.withMaxYoungRuns(1);

  private final LossyDirectory directory = new LossyDirectory();

  private static Map<Bytes, String> objects(int count, long at) {
    TreeMap<Bytes, String> objects = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      objects.put(Bytes.utf8("object %05d".formatted(i)), "at " + at);
    }
    return objects;
  }

  @Test
  void keepsReadingARunThatIsMergedMeanwhile() throws IOException {
    try (CheckpointStore store = start(directory, ONE_YOUNG)) {
      checkpoint(store, VectorClock.of(10), new TreeMap<>(objects(1_000, 10)));
      CheckpointView before = store.view();
      EntryScan scan = before.scan(IdRange.all(), VectorClock.of(10));
      assertThat(scan.next()).isPresent();

      checkpoint(store, VectorClock.of(20), new TreeMap<>(objects(1_000, 20)));
      store.commit(change -> change.lowWatermark(VectorClock.of(20)));
      assertThat(store.compact(MergeProgress.NONE)).isTrue();

      assertThat(store.status().heldFiles()).isEqualTo(1);
      assertThat(before.find(Bytes.utf8("object 00007"), VectorClock.of(10)))
          .map(Checkpoints::text)
          .contains("at 10");
      before.close();
      int count = 1;
      for (Optional<RunEntry> next = scan.next(); next.isPresent(); next = scan.next()) {
        assertThat(Checkpoints.text(next.get())).isEqualTo("at 10");
        count++;
      }
      assertThat(count).isEqualTo(1_000);
      assertThat(directory.list()).contains("run-1", "run-3").doesNotContain("run-2");

      scan.close();
      assertThat(store.reclaim()).isZero();
      assertThat(directory.list()).contains("run-3").doesNotContain("run-1");
      assertThat(find(store, "object 00007", 20)).contains("at 20");
    }
  }

  @Test
  void closingDeletesFilesThatReadersLeftSinceTheLastChange() throws IOException {
    try (CheckpointStore store = start(directory, ONE_YOUNG)) {
      checkpoint(store, 10, "a", "a10");
      checkpoint(store, 20, "a", "a20");
      store.commit(change -> change.lowWatermark(VectorClock.of(20)));
      try (CheckpointView reader = store.view()) {
        assertThat(store.compact(MergeProgress.NONE)).isTrue();
        assertThat(reader.checkpoints()).hasSize(2);
      }
      assertThat(directory.list()).contains("run-1", "run-2", "run-3");
    }
    assertThat(directory.list()).contains("run-3").doesNotContain("run-1", "run-2");
  }

  @Test
  void keepsASlowReadersViewAcrossCheckpointsAndMerges() throws IOException {
    try (CheckpointStore store = start(directory, ONE_YOUNG)) {
      checkpoint(store, 10, "a", "a10", "b", "b10");
      checkpoint(store, 20, "a", "a20");
      store.commit(change -> change.lowWatermark(VectorClock.of(20)));
      try (CheckpointView slow = store.view()) {
        for (int at = 30; at <= 70; at += 10) {
          checkpoint(store, at, "a", "a" + at);
          while (store.compact(MergeProgress.NONE)) {
            store.reclaim();
          }
          assertThat(find(store, "a", 20)).contains("a20");
          assertThat(find(store, "a", 29)).contains("a20");
          assertThat(find(store, "a", at)).contains("a" + at);
          assertThat(scan(slow, IdRange.all(), VectorClock.of(20)))
              .containsExactlyInAnyOrderEntriesOf(
                  Map.of(Bytes.utf8("a"), "a20", Bytes.utf8("b"), "b10"));
        }
      }

      store.commit(change -> change.lowWatermark(VectorClock.of(70)));
      while (store.compact(MergeProgress.NONE)) {
        store.reclaim();
      }
      assertThat(store.status().manifest().runs()).hasSize(1);
      Checkpoints.assertNothingIsLeftOver(directory, store);
    }
  }

  @Test
  void dropsACancelledMerge() throws IOException {
    try (CheckpointStore store = start(directory, ONE_YOUNG)) {
      checkpoint(store, 10, "a", "a10");
      checkpoint(store, 20, "a", "a20");
      checkpoint(store, 30, "a", "a30");

      assertThatThrownBy(() -> store.compact((written, atMost) -> false))
          .isInstanceOf(CheckpointDroppedException.class)
          .hasMessageContaining("cancelled");

      assertThat(store.status().manifest().runs()).hasSize(3);
      Checkpoints.assertNothingIsLeftOver(directory, store);
      assertThat(store.compact(MergeProgress.NONE)).isTrue();
      assertThat(store.status().manifest().runs()).hasSizeLessThan(3);
    }
  }

  @Test
  void dropsAMergeWhenTheLowWatermarkMovesBetweenItsRuns() throws IOException {
    try (CheckpointStore store = start(directory, ONE_YOUNG)) {
      checkpoint(store, 10, "a", "a10");
      checkpoint(store, 20, "a", "a20");
      checkpoint(store, 30, "a", "a30");
      checkpoint(store, 40, "b", "b40");
      AtomicBoolean wasRaised = new AtomicBoolean();

      boolean merged =
          store.compact(
              (written, atMost) -> {
                if (wasRaised.compareAndSet(false, true)) {
                  store.commit(change -> change.lowWatermark(VectorClock.of(30)));
                }
                return true;
              });

      assertThat(merged).isTrue();
      assertThat(wasRaised).isTrue();
      assertThat(store.status().manifest().runs())
          .extracting(ManifestFile::at)
          .containsExactly(
              VectorClock.of(10), VectorClock.of(20), VectorClock.of(30), VectorClock.of(40));
      assertThat(find(store, "a", 30)).contains("a30");
      Checkpoints.assertNothingIsLeftOver(directory, store);
    }
  }

  @Test
  void takesACheckpointWhileRunsAreMerged() throws IOException {
    try (CheckpointStore store = start(directory, ONE_YOUNG)) {
      checkpoint(store, 10, "a", "a10");
      checkpoint(store, 20, "a", "a20");
      checkpoint(store, 30, "a", "a30");
      AtomicBoolean wasTaken = new AtomicBoolean();

      assertThat(
              store.compact(
                  (written, atMost) -> {
                    if (wasTaken.compareAndSet(false, true)) {
                      checkpoint(store, 40, "a", "a40");
                      assertThat(store.compact(MergeProgress.NONE)).isFalse();
                    }
                    return true;
                  }))
          .isTrue();

      assertThat(find(store, "a", 40)).contains("a40");
      assertThat(find(store, "a", 30)).contains("a30");
      assertThat(find(store, "a", 29)).contains("a10");
      Checkpoints.assertNothingIsLeftOver(directory, store);
    }
  }

  @Test
  void backsUpAViewWhileTheStoreChanges() throws IOException {
    LossyDirectory backup = new LossyDirectory();
    try (CheckpointStore store = start(directory, ONE_YOUNG)) {
      checkpoint(store, 10, "a", "a10", "b", "b10");
      checkpoint(store, 20, "a", "a20");
      try (CheckpointView view = store.view()) {
        checkpoint(store, 30, "a", "a30");
        store.commit(change -> change.lowWatermark(VectorClock.of(30)));
        assertThat(store.compact(MergeProgress.NONE)).isTrue();

        for (Map.Entry<String, byte[]> head : view.snapshotHeads(77).entrySet()) {
          backup.replace(head.getKey(), head.getValue());
        }
        for (ManifestFile file : view.manifest().runs()) {
          backup.replace(file.name(), directory.read(file.name(), 1 << 20));
        }
      }
    }

    try (CheckpointStore store = start(backup)) {
      assertThat(store.status().problems()).isEmpty();
      assertThat(find(store, "a", 30)).contains("a20");
      assertThat(find(store, "b", 30)).contains("b10");
      assertThat(store.status().manifest().lowWatermark()).isEqualTo(VectorClock.of(20));
      assertThat(store.status().manifest().clockCeiling()).isEqualTo(77);
    }
  }

  @Test
  void endsAMergeWhenItIsClosed() throws IOException {
    CheckpointStore store = start(directory, ONE_YOUNG);
    checkpoint(store, 10, "a", "a10");
    checkpoint(store, 20, "a", "a20");
    checkpoint(store, 30, "a", "a30");
    List<String> files = directory.list();

    assertThatThrownBy(
            () ->
                store.compact(
                    (written, atMost) -> {
                      store.close();
                      return true;
                    }))
        .isInstanceOf(CheckpointsClosedException.class)
        .hasMessageContaining("closed");

    assertThat(directory.list()).isEqualTo(files);
    assertThatThrownBy(store::view).isInstanceOf(CheckpointsClosedException.class);
  }

  @Test
  void keepsReadingAViewOfAClosedStore() throws IOException {
    CheckpointStore store = start(directory);
    checkpoint(store, 10, "a", "a10");
    CheckpointView view = store.view();

    store.close();

    assertThat(scan(view, IdRange.all(), VectorClock.of(10))).hasSize(1);
    view.close();
  }

  @Test
  void isReadByManyThreadsWhileCheckpointsAreTakenAndMerged(@TempDir Path path)
      throws IOException, InterruptedException, ExecutionException {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    AtomicLong newest = new AtomicLong();
    AtomicBoolean isOver = new AtomicBoolean();
    CountDownLatch firstIsThere = new CountDownLatch(1);
    List<Future<Long>> readers = new ArrayList<>();
    try (CheckpointStore store = start(DiskDirectory.open(path), ONE_YOUNG)) {
      for (int i = 0; i < 3; i++) {
        boolean scans = i == 0;
        readers.add(
            threads.submit(
                () -> {
                  firstIsThere.await();
                  long reads = 0;
                  while (!isOver.get()) {
                    reads += read(store, newest.get(), scans);
                  }
                  return reads;
                }));
      }
      for (long at = 10; at <= 400; at += 10) {
        checkpoint(store, VectorClock.of(at), new TreeMap<>(objects(200, at)));
        newest.set(at);
        firstIsThere.countDown();
        if (at % 50 == 0) {
          VectorClock low = VectorClock.of(at);
          store.commit(change -> change.lowWatermark(low));
        }
        while (store.compact(MergeProgress.NONE)) {
          store.reclaim();
        }
      }
      isOver.set(true);
      for (Future<Long> reader : readers) {
        assertThat(reader.get()).isPositive();
      }
      assertThat(store.reclaim()).isZero();
    } finally {
      isOver.set(true);
      threads.shutdownNow();
    }
  }

  /** Each checkpoint writes all objects, so a view has all of them from one checkpoint. */
  private static long read(CheckpointStore store, long atLeast, boolean scans) {
    try (CheckpointView view = store.view()) {
      VectorClock snapshot = VectorClock.of(Long.MAX_VALUE);
      long at = view.newestAt(snapshot).orElseThrow().at().get(0);
      assertThat(at).isGreaterThanOrEqualTo(atLeast);
      if (scans) {
        Map<Bytes, String> found = scan(view, IdRange.all(), snapshot);
        assertThat(found).isEqualTo(objects(200, at));
        return found.size();
      }
      for (Bytes id : objects(200, at).keySet()) {
        byte[] state = view.find(id, snapshot).orElseThrow().state();
        assertThat(new String(state, UTF_8)).isEqualTo("at " + at);
      }
      return 200;
    }
  }
}
