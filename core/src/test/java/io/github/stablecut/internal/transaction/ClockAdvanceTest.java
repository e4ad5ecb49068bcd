package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.journal.testing.LossySegments;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Protocol 1.1 and 1.5: time passes without commits, and never goes below an issued time. */
final class ClockAdvanceTest {
  private static final CounterKey COUNTER = Key.counter("b", "k");

  private final LossySegments segments = new LossySegments();
  private volatile Instant now = Instant.parse("2026-11-20T08:00:00Z");

  private Store open(LossySegments journal) {
    StoreOptions options =
        StoreOptions.defaults()
            .withClock(() -> now)
            .withMaxClockJump(Duration.ofHours(1))
            .withLimits(StoreOptions.Limits.defaults().withReserveBytes(0));
    return StoreOpening.open(journal, new LossyDirectory(), options);
  }

  @Test
  void aSnapshotOfAnIdleStoreIsOfThePresent() {
    try (Store store = open(segments)) {
      store.update(COUNTER.increment());
      now = now.plus(Duration.ofMinutes(1));

      long issued = store.begin().snapshot().vector().max();
      assertThat(Timestamp.epochMillis(issued)).isEqualTo(now.toEpochMilli());
      assertThat(store.read(COUNTER)).isEqualTo(1);
    }
  }

  @Test
  void anIssuedSnapshotStaysThoughTheClockIsSetBackAcrossAKill() {
    CausalToken issued;
    LossySegments left;
    try (Store store = open(segments)) {
      store.update(COUNTER.increment());
      now = now.plusSeconds(3);
      issued = store.snapshot().token();
      assertThat(store.at(issued).read(COUNTER)).isEqualTo(1);
      left = segments.afterPowerCut((segment, page) -> false);
    }
    now = now.minus(Duration.ofHours(1));
    try (Store store = open(left)) {
      CausalToken later = store.update(COUNTER.increment());

      assertThat(store.at(issued).read(COUNTER)).isEqualTo(1);
      assertThat(issued.vector().isAtOrBefore(later.vector())).isTrue();
      assertThat(store.read(COUNTER)).isEqualTo(2);
    }
  }

  @Test
  void anIssuedTokenIsReadableImmediatelyAfterAKill() {
    CausalToken issued;
    try (Store store = open(segments)) {
      store.update(COUNTER.increment());
      now = now.plusSeconds(8);
      issued = store.snapshot().token();
    }
    try (Store store = open(segments.afterKill())) {
      assertThat(store.at(issued).read(COUNTER)).isEqualTo(1);
    }
  }

  /** The record of the clock ceiling is in a segment that is dropped without a new checkpoint. */
  @Test
  void anIssuedTokenStaysThoughTheClocksRecordIsTruncated() {
    LossyDisk disk = LossyDisk.empty();
    try (Store store = disk.open(truncating())) {
      store.update(COUNTER.increment());
      store.checkpoint();
    }
    disk = disk.afterKill();
    CausalToken issued;
    try (Store store = disk.open(truncating())) {
      now = now.plusSeconds(30);
      issued = store.snapshot().token();
    }
    disk = disk.afterKill();
    try (Store store = disk.open(truncating())) {
      store.checkpoint();
      assertThat(store.status().journal().segments()).isEqualTo(1);
    }
    now = now.minus(Duration.ofHours(1));
    try (Store store = disk.afterKill().open(truncating())) {
      CausalToken later = store.update(COUNTER.increment());

      assertThat(issued.vector().isAtOrBefore(later.vector())).isTrue();
      assertThat(store.read(COUNTER)).isEqualTo(2);
    }
  }

  private StoreOptions truncating() {
    return StoreOptions.defaults()
        .withClock(() -> now)
        .withMaxClockJump(Duration.ofHours(1))
        .withLimits(LossyDisk.LIMITS)
        .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));
  }

  @Test
  void anIdleStoreWithReadsWritesOneRecordInSeveralSeconds() {
    try (Store store = open(segments)) {
      store.update(COUNTER.increment());
      long before = store.status().journal().records();
      for (int second = 0; second < 60; second++) {
        now = now.plusSeconds(1);
        store.begin().close();
      }

      assertThat(store.status().journal().records() - before).isBetween(5L, 13L);
    }
  }

  @Test
  void allThreadsThatWaitForTheSameCeilingContinue() throws InterruptedException {
    try (Store store = open(segments)) {
      for (int round = 0; round < 50; round++) {
        now = now.plusSeconds(20);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          threads.add(new Thread(() -> store.begin().close()));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
          thread.join();
        }
      }

      assertThat(store.status().openTransactions()).isZero();
    }
  }
}
