package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.Values;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

/**
 * Cuts the power at any moment under four writers and loses any unsynced pages: previously
 * acknowledged commits exist, whole and once.
 */
final class PowerCutTest {
  private static final int WRITERS = 4;
  private static final int CUTS = 150;
  private static final int TRANSACTIONS_PER_CUT = 40;

  /** Checkpoints and truncation run all the time. */
  private static final int CHECKPOINT_EFFECTS = 300;

  private final LossyDisk disk = LossyDisk.empty();
  private final AtomicLongArray acknowledged = new AtomicLongArray(WRITERS);
  private final AtomicBoolean stop = new AtomicBoolean();
  private final Semaphore allowed = new Semaphore(0);

  private static StoreOptions options(Durability durability) {
    return StoreOptions.defaults()
        .withDurability(durability)
        .withCheckpoints(
            CheckpointPolicy.defaults()
                .withEffects(CHECKPOINT_EFFECTS)
                .withRetention(Duration.ZERO))
        .withLimits(LossyDisk.LIMITS.withSegmentBytes(1 << 20));
  }

  private static CounterKey left(int writer) {
    return Key.counter("left", "" + writer);
  }

  private static CounterKey right(int writer) {
    return Key.counter("right", "" + writer);
  }

  private void write(Store store, int writer) {
    while (true) {
      allowed.acquireUninterruptibly();
      if (stop.get()) {
        return;
      }
      store.update(left(writer).increment(), right(writer).increment());
      acknowledged.incrementAndGet(writer);
    }
  }

  @Test
  void losesNothingAcknowledgedWithBatches() throws Exception {
    cutAndCheck(Durability.batch());
  }

  @Test
  void losesNothingAcknowledgedWithGroups() throws Exception {
    cutAndCheck(Durability.group(Duration.ofMillis(1)));
  }

  private void cutAndCheck(Durability durability) throws Exception {
    Random random = new Random(7);
    try (Store store = disk.open(options(durability))) {
      List<Thread> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        writers.add(new Thread(() -> write(store, writer)));
      }
      writers.forEach(Thread::start);
      for (int cut = 0; cut < CUTS; cut++) {
        allowed.release(TRANSACTIONS_PER_CUT);
        awaitAcknowledged((long) TRANSACTIONS_PER_CUT * cut + random.nextInt(TRANSACTIONS_PER_CUT));
        long[] before = snapshot();
        LossyDisk left = disk.afterPowerCut(random, random.nextDouble());
        check(left, before, snapshot());
      }
      stop.set(true);
      allowed.release(WRITERS);
      for (Thread writer : writers) {
        writer.join();
      }
    }
  }

  private void awaitAcknowledged(long enough) {
    while (Arrays.stream(snapshot()).sum() < enough) {
      Thread.onSpinWait();
    }
  }

  private long[] snapshot() {
    long[] copy = new long[WRITERS];
    for (int writer = 0; writer < WRITERS; writer++) {
      copy[writer] = acknowledged.get(writer);
    }
    return copy;
  }

  private static void check(LossyDisk left, long[] before, long[] after) {
    try (Store store = left.open(options(Durability.batch()))) {
      // The first operation after opening is a write.
      store.update(left(0).increment(), right(0).increment());
      checkCounters(store, before, after, 1);
    }
    try (Store store = left.afterKill().open(options(Durability.batch()))) {
      checkCounters(store, before, after, 1);
    }
  }

  private static void checkCounters(Store store, long[] before, long[] after, long more) {
    for (int writer = 0; writer < WRITERS; writer++) {
      Values values = store.read(List.of(left(writer), right(writer)));
      long there = values.get(left(writer)) - (writer == 0 ? more : 0);
      assertThat(values.get(left(writer))).isEqualTo(values.get(right(writer)));
      assertThat(there).isBetween(before[writer], after[writer] + 1);
    }
  }
}
