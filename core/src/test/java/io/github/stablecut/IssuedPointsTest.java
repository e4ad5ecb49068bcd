package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.WatchOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An issued point is a promise of every partition: nothing commits at or below it later, including
 * transactions that began before (protocol 1.5).
 */
class IssuedPointsTest {
  private static final int ROUNDS = 8;

  @TempDir Path directory;

  private volatile Duration behind = Duration.ZERO;

  private Store open() {
    return Stablecut.open(
        directory,
        StoreOptions.defaults().withPartitions(2).withClock(() -> Instant.now().minus(behind)));
  }

  /** A counter on another partition than the first one. */
  private static CounterKey elsewhere(Store store, CounterKey first) {
    for (int number = 1; ; number++) {
      CounterKey other = Key.counter("b", "k" + number);
      if (store.partitionOf(other) != store.partitionOf(first)) {
        return other;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTransactionThatBeganBeforeAPointCommitsAboveIt(boolean isReopened) throws Exception {
    CounterKey busy = Key.counter("b", "k0");
    CounterKey idle;
    try (Store store = open()) {
      idle = elsewhere(store, busy);
      store.update(busy.increment(), idle.increment());
      if (!isReopened) {
        rounds(store, busy, idle);
      }
    }
    try (Store store = open()) {
      rounds(store, busy, idle);
    }
  }

  private void rounds(Store store, CounterKey first, CounterKey second) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      CounterKey busy = round % 2 == 0 ? first : second;
      CounterKey idle = round % 2 == 0 ? second : first;
      behind = Duration.ofSeconds(round);
      Transaction earlier = store.begin();
      earlier.update(idle.increment());
      long before = store.read(idle);
      CausalToken token = store.update(busy.increment());
      Snapshot snapshot = store.snapshot();
      try (Transaction open = store.begin()) {
        CausalToken later = earlier.commit();

        assertThat(snapshot.read(idle)).isEqualTo(before);
        assertThat(open.read(idle)).isEqualTo(before);
        assertThat(store.at(token).read(idle)).isEqualTo(before);
        assertThat(store.at(later).read(idle)).isEqualTo(before + 1);
        assertIssued(store, token, idle, later);
        assertIssued(store, snapshot.token(), idle, later);
      }
    }
  }

  private static void assertIssued(Store store, CausalToken after, Key<?> key, CausalToken commit)
      throws InterruptedException {
    try (Watch watch = store.watch("b", "", WatchOptions.after(after))) {
      Change change = watch.next();
      assertThat(change.objects()).contains(key);
      assertThat(change.snapshot().token()).isEqualTo(commit);
    }
  }

  @Test
  void orderlyReopeningsDoNotMoveTheClockIntoTheFuture() {
    CounterKey counter = Key.counter("b", "k0");
    for (int opening = 0; opening < 5; opening++) {
      try (Store store = open()) {
        CausalToken token = store.update(counter.increment());
        assertThat(store.at(token).read(counter)).isEqualTo(opening + 1);
        // Advances idle partitions, whose journals get a clock ceiling for that.
        store.read(List.of(counter, Key.counter("b", "idle" + opening)));
      }
    }
    try (Store store = open()) {
      CausalToken token = store.update(counter.increment());
      long millis = Timestamp.epochMillis(token.vector().max());
      assertThat(millis).isLessThanOrEqualTo(Instant.now().toEpochMilli());
    }
  }
}
