package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.ConditionalResult;
import io.github.stablecut.Session;
import io.github.stablecut.Transaction;
import io.github.stablecut.Watch;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A store that is one of three data centres: its own times are in its own entry of vectors, and the
 * others' in theirs; one of them is ahead of the clock here, and one far behind.
 */
final class SeveralDataCentresTest {
  private static final int PARTITIONS = 4;

  private final List<LossyDisk> disks = new ArrayList<>();
  private LocalDataCentre local = LocalDataCentre.FIRST;
  private EmbeddedStore store;
  private final long ahead = time(Duration.ofSeconds(30));
  private final long behind = time(Duration.ofDays(-1_000));
  private long epoch;

  SeveralDataCentresTest() {
    for (int i = 0; i < PARTITIONS; i++) {
      disks.add(LossyDisk.empty());
    }
    store = opened();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static long time(Duration fromNow) {
    return Timestamp.of(Timestamp.countAt(System.currentTimeMillis() + fromNow.toMillis()), 0);
  }

  /** The others' entries of a partition: the first is ahead of the clock here. */
  private VectorClock others(int partition) {
    long[] entries = {ahead, behind, 5_000};
    entries[local.number()] = 0;
    for (int i = 0; i < entries.length; i++) {
      entries[i] -= entries[i] == 0 ? 0 : partition;
    }
    return VectorClock.ofEntries(entries);
  }

  /** The others' entries that all partitions have. */
  private VectorClock ofOthers() {
    return others(PARTITIONS - 1);
  }

  /** Opens the store as another data centre's, before anything is written. */
  private void open(int dataCentre) {
    store.close();
    local = new LocalDataCentre(dataCentre);
    for (int i = 0; i < PARTITIONS; i++) {
      disks.set(i, Arrivals.add(LossyDisk.empty(), VectorClock.ZERO, others(i)));
    }
    store = opened();
  }

  private EmbeddedStore opened() {
    List<PartitionFiles> files =
        disks.stream().map(disk -> new PartitionFiles(disk.journal(), disk.checkpoints())).toList();
    return StoreOpening.open(
        new StoreIdentity(7, PARTITIONS, local),
        ++epoch,
        files,
        StoreOptions.defaults()
            .withLimits(LossyDisk.LIMITS)
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO)));
  }

  private void openAgain() {
    store.close();
    disks.replaceAll(LossyDisk::afterKill);
    store = opened();
  }

  private static CounterKey key(int number) {
    return Key.counter("b", "k" + number);
  }

  private int partitionOf(CounterKey key) {
    return store.partitions().of(key.id()).number();
  }

  /** A key in a partition. */
  private CounterKey keyIn(int partition) {
    for (int i = 0; ; i++) {
      if (partitionOf(key(i)) == partition) {
        return key(i);
      }
    }
  }

  private void assertEntries(CausalToken token) {
    assertThat(local.with(token.vector(), 0)).isEqualTo(ofOthers());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void tokensKeepTheEntriesOfOtherDataCentres(int dataCentre) {
    open(dataCentre);

    CausalToken one = store.update(keyIn(0).increment());
    CausalToken several = store.update(keyIn(0).increment(), keyIn(2).increment());

    assertEntries(one);
    assertEntries(several);
    assertThat(local.timeIn(several.vector())).isGreaterThan(local.timeIn(one.vector()));
    assertEntries(store.updateAsync(keyIn(1).increment()).toCompletableFuture().join());
    assertEntries(
        store.updateAsync(keyIn(1).increment(), keyIn(3).increment()).toCompletableFuture().join());
    assertThat(store.at(one).read(keyIn(0))).isEqualTo(1);
    assertThat(store.at(several).read(keyIn(0))).isEqualTo(2);
    assertThat(store.at(several).read(keyIn(2))).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void snapshotsHaveTheOthersEntriesThatAllPartitionsHave(int dataCentre) {
    open(dataCentre);
    CounterKey newest = keyIn(0);

    CausalToken written = store.update(newest.increment());

    assertThat(store.read(newest)).isEqualTo(1);
    assertThat(store.readLatest(newest)).isEqualTo(1);
    assertEntries(store.snapshot().token());
    assertThat(store.snapshot().read(keyIn(3))).isEqualTo(0);
    try (Transaction transaction = store.begin(TransactionOptions.defaults().after(written))) {
      assertEntries(transaction.snapshot());
      assertThat(transaction.read(newest)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void refusesATokenAheadOfAnotherDataCentresArrivals(int dataCentre) {
    open(dataCentre);
    CausalToken token = store.update(keyIn(1).increment());
    int other = (dataCentre + 1) % 3;
    VectorClock ahead = token.vector().with(other, token.vector().get(other) + PARTITIONS);

    assertThatThrownBy(() -> store.at(new CausalToken(7, ahead)))
        .isInstanceOf(UnknownSnapshotException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void everythingSurvivesCheckpointsAndOpenings(int dataCentre) {
    open(dataCentre);
    List<CounterKey> keys = List.of(keyIn(0), keyIn(1), keyIn(2), keyIn(3));
    for (int round = 1; round <= 6; round++) {
      for (CounterKey key : keys) {
        store.update(key.increment());
      }
      CausalToken several = store.update(keys.get(0).increment(), keys.get(3).increment());
      if (round % 2 == 0) {
        store.checkpoint();
      }
      if (round % 3 == 0) {
        openAgain();
      }
      assertThat(store.at(several).read(keys.get(0))).isEqualTo(2L * round);
      assertThat(store.at(several).read(keys.get(1))).isEqualTo(round);
      assertThat(store.read(keys.get(3))).isEqualTo(2L * round);
      assertEntries(store.snapshot().token());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void sessionsConditionsAndCertificationWorkInOwnTimes(int dataCentre) {
    open(dataCentre);
    CounterKey key = keyIn(1);
    Session session = store.openSession();
    CausalToken first = session.update(1, key.increment());
    CausalToken repeated = session.update(1, key.increment());
    assertThat(local.timeIn(repeated.vector())).isEqualTo(local.timeIn(first.vector()));
    assertThat(first.vector().isAtOrBefore(repeated.vector())).isTrue();
    assertThat(store.at(repeated).read(key)).isEqualTo(1);

    ConditionalResult written =
        store.compareAndUpdate(List.of(key), values -> values.get(key) == 1, key.increment());
    assertThat(written.isWritten()).isTrue();
    assertThat(store.read(key)).isEqualTo(2);
    ConditionalResult refused =
        store.compareAndUpdate(List.of(key), values -> values.get(key) == 1, key.increment());
    assertThat(refused.isWritten()).isFalse();

    for (int i = 0; i < 3; i++) {
      try (Transaction transaction =
          store.begin(TransactionOptions.defaults().certify(Certification.WRITES))) {
        transaction.update(key.increment());
        assertEntries(transaction.commit());
      }
    }
    assertThat(store.readLatest(key)).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aWatchDeliversEachChangeOnceAlsoAfterAnOpening(int dataCentre) throws InterruptedException {
    open(dataCentre);
    CausalToken begin = store.update(keyIn(0).increment());
    CausalToken position;
    List<CausalToken> delivered = new ArrayList<>();
    List<CausalToken> committed = new ArrayList<>();
    try (Watch watch = store.watch("b", "", WatchOptions.after(begin))) {
      for (int i = 0; i < 12; i++) {
        committed.add(store.update(keyIn(i % 4).increment(), keyIn((i + i / 4) % 4).increment()));
      }
      for (int i = 0; i < 5; i++) {
        Change change = watch.next();
        delivered.add(change.token());
      }
      position = watch.position();
    }
    openAgain();
    try (Watch watch = store.watch("b", "", WatchOptions.after(position))) {
      for (int i = 5; i < 12; i++) {
        delivered.add(watch.next().token());
      }
      committed.add(store.update(keyIn(2).increment()));
      delivered.add(watch.next().token());
    }

    assertThat(delivered.stream().map(CausalToken::vector))
        .containsExactlyElementsOf(committed.stream().map(CausalToken::vector).toList());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void operationsBelongToTheStoresDataCentre(int dataCentre) {
    open(dataCentre);
    BoundedCounterKey stock = Key.boundedCounter("b", "stock");
    store.update(stock.increment(3));

    assertThatThrownBy(() -> store.update(stock.decrement(5)))
        .hasMessageContaining("data centre %d has 3 of the total 3", dataCentre);
  }
}
