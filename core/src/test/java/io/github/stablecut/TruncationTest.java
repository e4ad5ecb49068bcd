package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.DamageException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Retention for readers of the past, and truncation. */
final class TruncationTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final RegisterKey<String> TEXT = Key.register("b", "text", Codec.string());

  /** The number of changed bytes of each file, one at a time. */
  private static final int DAMAGES = 60;

  @TempDir Path directory;

  private Store open() {
    return Stablecut.open(
        directory.resolve("data"),
        StoreOptions.defaults()
            .withLimits(StoreOptions.Limits.defaults().withSegmentBytes(1 << 20))
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO)));
  }

  private static void assertTruncated(Store store, CausalToken token) {
    assertThatThrownBy(() -> store.at(token).read(COUNTER))
        .isInstanceOf(SnapshotTruncatedException.class)
        .hasMessageContaining(Timestamp.format(token.vector().max()))
        .hasMessageContaining(
            Timestamp.format(store.status().times().lowWatermark().vector().max()));
  }

  /** Scenario 34. */
  @Test
  void readsTheLowWatermarkAndRefusesBelowItAlsoAfterReopening() {
    CausalToken low;
    CausalToken below;
    try (Store store = open()) {
      CausalToken first = store.update(COUNTER.increment());
      store.checkpoint();
      store.update(COUNTER.increment());
      store.checkpoint();
      low = store.status().times().lowWatermark();
      below = new CausalToken(low.storeId(), VectorClock.of(low.vector().max() - 1));
      assertTruncated(store, first);
      assertTruncated(store, below);
      assertThat(store.at(low).read(COUNTER)).isEqualTo(2);
    }
    try (Store store = open()) {
      assertThat(store.status().times().lowWatermark()).isEqualTo(low);
      assertTruncated(store, below);
      assertThat(store.at(low).read(COUNTER)).isEqualTo(2);
      assertThatThrownBy(() -> store.pin(below)).isInstanceOf(SnapshotTruncatedException.class);
      assertThatThrownBy(() -> store.at(below).scan("b"))
          .isInstanceOf(SnapshotTruncatedException.class);
    }
  }

  /** Truncation during the scan, and after its end, removes only unread history. */
  @Test
  void aScanHoldsItsSnapshotUntilItIsClosedOrEnds() {
    int keys = 3_000;
    try (Store store = open()) {
      Update[] increments =
          IntStream.range(0, keys)
              .mapToObj(i -> Key.counter("s", "%04d".formatted(i)).increment())
              .toArray(Update[]::new);
      CausalToken first = store.update(increments);
      Scan scan = store.at(first).scan("s");
      List<Object> values = new ArrayList<>(List.of(scan.next().value()));
      for (int round = 0; round < 3; round++) {
        store.update(increments);
        store.checkpoint();
        for (int i = 0; i < 100; i++) {
          values.add(scan.next().value());
        }
      }
      assertThat(store.at(first).read(COUNTER)).isZero();
      scan.forEachRemaining(object -> values.add(object.value()));
      assertThat(values).hasSize(keys).containsOnly(1L);
      scan.close();

      store.update(increments);
      store.checkpoint();
      assertTruncated(store, first);
    }
  }

  /** Scenario 35. */
  @Test
  void aSlowReaderOnlyDelaysTruncation() {
    try (Store store = open()) {
      store.update(COUNTER.increment());
      Pin slow = store.pin(store.snapshot().token());
      CausalToken checkpointTime = store.status().times().checkpointTime();
      for (int checkpoint = 2; checkpoint <= 12; checkpoint++) {
        store.update(COUNTER.increment(), TEXT.assign("x".repeat(600_000)));
        store.checkpoint();

        StoreStatus.Times times = store.status().times();
        assertThat(slow.read(COUNTER)).isEqualTo(1);
        assertThat(store.read(COUNTER)).isEqualTo(checkpoint);
        assertThat(times.checkpointTime().vector().max())
            .isGreaterThan(checkpointTime.vector().max());
        assertThat(times.lowWatermark().vector().isAtOrBefore(slow.token().vector())).isTrue();
        checkpointTime = times.checkpointTime();
      }
      StoreStatus held = store.status();
      assertThat(held.journal().firstSegment()).isEqualTo(1);

      slow.close();
      store.update(COUNTER.increment());
      store.checkpoint();

      StoreStatus freed = store.status();
      assertThat(freed.journal().allocatedBytes()).isLessThan(held.journal().allocatedBytes());
      assertThat(freed.journal().firstSegment()).isGreaterThan(1);
      assertThat(freed.times().lowWatermark()).isEqualTo(freed.times().checkpointTime());
    }
  }

  /** Scenario 38. */
  @Test
  void aCheckpointWritesOnlyChanges() {
    try (Store store = open()) {
      List<Update> all = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        all.add(Key.counter("b", "key-" + i).increment());
      }
      store.update(all.toArray(Update[]::new));
      store.checkpoint();
      store.update(all.subList(100, 110).toArray(Update[]::new));
      store.checkpoint();

      assertThat(store.status().checkpoints().entries()).containsExactly(1_000L, 10L);
    }
  }

  /** The journal has all of it, so the previous manifest serves as well. */
  @Test
  void theStatusNamesASkippedManifest() throws IOException {
    try (Store store = open()) {
      store.update(COUNTER.increment());
      store.checkpoint();
      store.update(COUNTER.increment());
      store.checkpoint();
      assertThat(store.status().checkpoints().problems()).isEmpty();
    }
    Path newest;
    try (Stream<Path> all = Files.list(directory.resolve("data/p0/checkpoint"))) {
      newest =
          all.filter(file -> file.getFileName().toString().startsWith("MANIFEST-"))
              .max(Comparator.naturalOrder())
              .orElseThrow();
    }
    Files.write(newest, new byte[] {1, 2, 3});

    try (Store store = open()) {
      assertThat(store.read(COUNTER)).isEqualTo(2);
      assertThat(store.status().checkpoints().problems())
          .anyMatch(problem -> problem.contains(newest.getFileName().toString()));
      store.checkpoint();
    }
    try (Store store = open()) {
      assertThat(store.read(COUNTER)).isEqualTo(2);
      assertThat(store.status().checkpoints().problems()).isEmpty();
    }
  }

  /** After truncation of the journal, only the checkpoint has its data. */
  @Test
  void namesAnyDamageOfACheckpointAndReadsNothingElse() throws IOException {
    for (int opening = 0; opening < 2; opening++) {
      try (Store store = open()) {
        store.update(COUNTER.increment(), TEXT.assign("x".repeat(100)));
        store.checkpoint();
        assertThat(store.status().journal().segments()).isEqualTo(1);
      }
    }
    Path original = directory.resolve("data");
    List<Path> files;
    try (Stream<Path> all = Files.list(original.resolve("p0/checkpoint"))) {
      files = all.filter(file -> file.getFileName().toString().startsWith("run-")).toList();
    }
    assertThat(files).isNotEmpty();
    int refused = 0;
    for (Path file : files) {
      byte[] bytes = Files.readAllBytes(file);
      for (int at = 0; at < bytes.length; at += 1 + bytes.length / DAMAGES) {
        byte[] damaged = bytes.clone();
        damaged[at] ^= 1;
        Files.write(file, damaged);
        try (Store store = open()) {
          assertThat(store.read(COUNTER)).isEqualTo(2);
          assertThat(store.read(TEXT)).contains("x".repeat(100));
        } catch (DamageException e) {
          assertThat(e).hasMessageContaining(file.getFileName().toString());
          refused++;
        }
        Files.write(file, bytes);
      }
    }
    assertThat(refused).isPositive();
    try (Store store = open()) {
      assertThat(store.read(COUNTER)).isEqualTo(2);
    }
  }

  @Test
  void theStatusShowsTheProgressOfAMerge() throws Exception {
    try (Store store = open()) {
      FutureTask<StoreStatus.Checkpoints> watching = new FutureTask<>(() -> awaitMerge(store));
      new Thread(watching).start();
      for (int round = 0; !watching.isDone(); round++) {
        RegisterKey<String> text = Key.register("b", "text-" + round % 20, Codec.string());
        store.update(text.assign("x".repeat(500_000)));
        store.checkpoint();
      }

      assertThat(watching.get().mergedBytes()).isBetween(1L, watching.get().mergingBytes());
      while (store.status().checkpoints().mergingBytes() > 0) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void aCheckpointDoesNotWaitForAMerge() {
    try (Store store = open()) {
      boolean wasBeside = false;
      for (int round = 0; !wasBeside; round++) {
        RegisterKey<String> text = Key.register("b", "text-" + round % 40, Codec.string());
        store.update(text.assign("x".repeat(500_000)));
        StoreStatus.Checkpoints before = store.status().checkpoints();
        store.checkpoint();
        StoreStatus.Checkpoints after = store.status().checkpoints();
        wasBeside =
            before.mergedBytes() > 0
                && after.mergedBytes() >= before.mergedBytes()
                && after.mergingBytes() == before.mergingBytes()
                && after.runs() > before.runs();
      }
    }
  }

  private static StoreStatus.Checkpoints awaitMerge(Store store) {
    StoreStatus.Checkpoints seen = store.status().checkpoints();
    while (seen.mergingBytes() == 0) {
      seen = store.status().checkpoints();
    }
    return seen;
  }
}
