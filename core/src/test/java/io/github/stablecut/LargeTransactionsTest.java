package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions whose records take several journal segments, during truncation. */
class LargeTransactionsTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final List<RegisterKey<String>> TEXTS =
      List.of(
          Key.register("b", "text1", Codec.string()),
          Key.register("b", "text2", Codec.string()),
          Key.register("b", "text3", Codec.string()));
  private static final int OPENINGS = 4;
  private static final int TRANSACTIONS = 15;
  private static final long WORK_PER_OBJECT = 30_000;

  @TempDir private Path directory;

  private Store open() {
    return Stablecut.open(
        directory,
        StoreOptions.defaults()
            .withLimits(StoreOptions.Limits.defaults().withSegmentBytes(1 << 20))
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO)));
  }

  @Test
  void aSegmentThatStartsInTheMiddleOfARecordMayBecomeTheOldest() {
    Random random = new Random(1);
    for (int opening = 0; opening < OPENINGS; opening++) {
      try (Store store = open()) {
        assertThat(store.read(COUNTER)).isEqualTo((long) opening * TRANSACTIONS);
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write(store));
        while (!writer.isDone()) {
          if (random.nextBoolean()) {
            store.checkpoint();
          } else {
            try (Pin pin = store.pin(store.snapshot().token())) {
              store.checkpoint();
              store.checkpoint();
              assertThat(pin.read(COUNTER)).isNotNegative();
            }
          }
        }
        writer.join();
      }
    }
    try (Store store = open()) {
      assertThat(store.read(COUNTER)).isEqualTo((long) OPENINGS * TRANSACTIONS);
    }
  }

  /** Bytes that this thread has allocated: a measure of work that is the same on each machine. */
  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  @Test
  void readingATransactionsObjectsOneByOneDoesNotReadItsRecordEachTime() {
    int count = 5_000;
    Update[] increments =
        IntStream.range(0, count).mapToObj(i -> counter(i).increment()).toArray(Update[]::new);
    CausalToken past;
    try (Store store = Stablecut.open(directory)) {
      store.update(increments);
      past = store.snapshot().token();
      store.update(increments);
    }
    try (Store store = Stablecut.open(directory)) {
      checkWork(count, () -> read(store.snapshot(), count, 2));
      checkWork(count, () -> scan(store.snapshot(), count));
      store.checkpoint();
      checkWork(count, () -> read(store.at(past), count, 1));
    }
  }

  private static void checkWork(int count, Runnable reading) {
    long before = allocated();
    reading.run();
    assertThat(allocated() - before).isLessThan(WORK_PER_OBJECT * count);
  }

  private static CounterKey counter(int number) {
    return Key.counter("many", "counter " + number);
  }

  private static void read(Snapshot snapshot, int count, long expected) {
    for (int i = 0; i < count; i++) {
      assertThat(snapshot.read(counter(i))).isEqualTo(expected);
    }
  }

  private static void scan(Snapshot snapshot, int count) {
    int found = 0;
    try (Scan scan = snapshot.scan(ScanOptions.bucket("many"))) {
      while (scan.hasNext()) {
        assertThat(scan.next().value()).isEqualTo(2L);
        found++;
      }
    }
    assertThat(found).isEqualTo(count);
  }

  private static void write(Store store) {
    String large = "x".repeat(700_000);
    for (int i = 0; i < TRANSACTIONS; i++) {
      store.update(TEXTS.stream().map(text -> text.assign(large)).toArray(Update[]::new));
      store.update(COUNTER.increment());
    }
  }
}
