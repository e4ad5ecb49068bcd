package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The past of a store by wall-clock time, and the commit times of transactions. */
final class SnapshotsByTimeTest {
  private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
  private static final CounterKey VISITS = Key.counter("pages", "visits");

  private final Instant[] now = {NOON};

  @TempDir private Path directory;

  private Store open(StoreOptions options) {
    return Stablecut.open(
        directory, options.withClock(() -> now[0]).withMaxClockJump(Duration.ofDays(400)));
  }

  @Test
  void readsTheStoreAsOfATimeOfDay() {
    CausalToken first;
    try (Store store = open(StoreOptions.defaults().withPartitions(3))) {
      first = store.update(VISITS.increment(1));
      now[0] = NOON.plusSeconds(60);
      store.update(VISITS.increment(1), Key.counter("other", "c").increment(7));
    }
    now[0] = NOON.plusSeconds(120);
    try (Store store = open(StoreOptions.defaults().withPartitions(3))) {
      store.update(VISITS.increment(1));

      assertThat(store.at(NOON.minusMillis(1)).read(VISITS)).isZero();
      assertThat(store.at(NOON).read(VISITS)).isEqualTo(1);
      assertThat(store.at(NOON.plusMillis(59_999)).read(VISITS)).isEqualTo(1);
      assertThat(store.at(NOON.plusSeconds(60)).read(VISITS)).isEqualTo(2);
      assertThat(store.at(NOON.plusSeconds(120)).read(VISITS)).isEqualTo(3);
      assertThat(store.at(Instant.MAX).read(VISITS)).isEqualTo(3);
      assertThat(store.at(Instant.MIN).read(VISITS)).isZero();
      assertThat(first.time()).isEqualTo(NOON);
      assertThat(store.at(Instant.EPOCH).token().time()).isEqualTo(Instant.EPOCH);
    }
  }

  @Test
  void refusesATimeBeforeTheRetention() {
    try (Store store =
        open(
            StoreOptions.defaults()
                .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO)))) {
      store.update(VISITS.increment(1));
      now[0] = NOON.plusSeconds(60);
      store.update(VISITS.increment(1));
      store.checkpoint();

      assertThatThrownBy(() -> store.at(NOON).read(VISITS))
          .isInstanceOf(SnapshotTruncatedException.class);
      assertThat(store.at(NOON.plusSeconds(60)).read(VISITS)).isEqualTo(2);
    }
  }

  @Test
  void aTransactionReturnsItsResultAndItsToken() {
    try (Store store = open(StoreOptions.defaults())) {
      TransactionResult<Long> done =
          store.transactWithToken(
              transaction -> {
                transaction.update(VISITS.increment(5));
                return transaction.read(VISITS);
              });
      store.update(VISITS.increment(1));

      assertThat(done.value()).isEqualTo(5);
      assertThat(store.at(done.token()).read(VISITS)).isEqualTo(5);
    }
  }

  @Test
  void findsBucketsWithoutReadingTheirObjects() {
    try (Store store = open(StoreOptions.defaults().withPartitions(3))) {
      for (String bucket : List.of("b", "a", "a\u0000", "", "b\u0000c", "ä")) {
        for (int i = 0; i < 20; i++) {
          store.update(Key.counter(bucket, "k" + i).increment(1));
        }
      }
      Snapshot snapshot = store.snapshot();

      List<Bytes> all = snapshot.buckets(Bytes.EMPTY, 100);

      assertThat(all).isEqualTo(allBuckets(snapshot)).hasSize(6);
      assertThat(snapshot.buckets(Bytes.utf8("a"), 2)).isEqualTo(all.subList(2, 4));
      assertThat(snapshot.buckets(Bytes.utf8("ä"), 2)).isEmpty();
    }
  }

  private static List<Bytes> allBuckets(Snapshot snapshot) {
    try (Scan scan = snapshot.scan()) {
      return scan.stream().map(StoredObject::bucket).distinct().toList();
    }
  }

  @Test
  void theStatusHasCommitLatenciesAndReadersOfThePast() {
    try (Store store = open(StoreOptions.defaults())) {
      store.update(VISITS.increment(1));
      store.updateAsync(VISITS.increment(1)).toCompletableFuture().join();
      try (Transaction open = store.begin()) {
        StoreStatus.Activity activity = store.status().activity();

        assertThat(open.read(VISITS)).isEqualTo(2);
        assertThat(activity.commits().count()).isEqualTo(2);
        assertThat(activity.commits().within(1)).isPositive();
        assertThat(activity.oldest()).hasSize(1);
        assertThat(activity.oldest().get(0).isLimited()).isTrue();
        assertThat(activity.oldest().get(0).thread()).isEqualTo(Thread.currentThread().getName());
        assertThat(activity.inDoubt()).isEmpty();
      }
      assertThat(store.status().activity().oldest()).isEmpty();
    }
  }
}
