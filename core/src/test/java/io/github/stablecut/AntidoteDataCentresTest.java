package io.github.stablecut;

import static io.github.stablecut.DataCentreStores.readAfter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.replication.LinkFaults;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Repeats AntidoteDB's tests of several data centres (its suites inter_dc_repl, multiple_dcs,
 * bcountermgr and clocksi) with three stores. docs/data-centres.md lists them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class AntidoteDataCentresTest {
  private static final int CENTRES = 3;
  private static final long EACH = 100;

  @TempDir private static Path directory;
  private final List<LinkFaults> cables = new ArrayList<>();
  private final List<Store> stores = new ArrayList<>();

  @BeforeAll
  void open() {
    DataCentreStores all = new DataCentreStores(directory);
    for (int i = 0; i < CENTRES; i++) {
      LinkFaults cable = new LinkFaults(i);
      cables.add(cable);
      String name = "dc" + i;
      stores.add(
          i == 0
              ? all.first(name, one -> one.through(cable::around))
              : all.joined(name, stores.get(0), one -> one.through(cable::around)));
    }
  }

  @AfterAll
  void close() {
    stores.forEach(Store::close);
  }

  private static CounterKey counter(String name) {
    return Key.counter("antidote", name);
  }

  @Test
  void incrementsAreReadInOtherDataCentresAtTheirToken() {
    CounterKey key = counter("three");
    stores.get(0).update(key.increment(1));
    stores.get(0).update(key.increment(1));
    CausalToken last = stores.get(0).update(key.increment(1));
    for (Store store : stores) {
      assertThat(readAfter(store, last, key)).isEqualTo(3);
    }
  }

  @Test
  void tokenCoversTheTransactionsReads() {
    CounterKey cause = counter("cause");
    CounterKey effect = counter("effect");
    CausalToken first = stores.get(0).update(cause.increment(1));
    CausalToken second;
    try (Transaction transaction =
        stores.get(1).begin(TransactionOptions.defaults().after(first))) {
      assertThat(transaction.read(cause)).isEqualTo(1);
      transaction.update(effect.increment(1));
      second = transaction.commit();
    }
    for (Store store : stores) {
      try (Transaction transaction = store.begin(TransactionOptions.defaults().after(second))) {
        assertThat(transaction.read(effect)).isEqualTo(1);
        assertThat(transaction.read(cause)).isEqualTo(1);
      }
    }
  }

  @Test
  void otherDataCentresNeverSeeHalfATransaction() {
    CounterKey one = counter("half0");
    CounterKey other = counter("half1");
    CompletableFuture<CausalToken> writing =
        CompletableFuture.supplyAsync(
            () -> {
              CausalToken last = stores.get(0).update(one.increment(1), other.increment(1));
              for (int i = 1; i < EACH; i++) {
                last = stores.get(0).update(one.increment(1), other.increment(1));
              }
              return last;
            });
    long seen = 0;
    while (seen < EACH) {
      for (Store store : stores) {
        Snapshot snapshot = store.snapshot();
        seen = snapshot.read(one);
        assertThat(snapshot.read(other)).isEqualTo(seen);
      }
      if (writing.isCompletedExceptionally()) {
        writing.join();
      }
    }
    assertThat(readAfter(stores.get(2), writing.join(), other)).isEqualTo(EACH);
  }

  @Test
  void parallelUpdatesConverge() {
    CounterKey sum = counter("sum");
    AddWinsSetKey<String> set = Key.addWinsSet("antidote", "set", Codec.string());
    List<CompletableFuture<CausalToken>> writers =
        stores.stream()
            .map(
                store ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          CausalToken last = store.update(sum.increment(1), set.add("all"));
                          for (int i = 1; i < EACH; i++) {
                            String element = store.dataCentres().own() + "-" + i;
                            last = store.update(sum.increment(1), set.add(element));
                          }
                          return last;
                        }))
            .toList();
    for (Store store : stores) {
      CausalToken last = writers.get(0).join();
      for (CompletableFuture<CausalToken> writer : writers) {
        last = writer.join();
        store.begin(TransactionOptions.defaults().after(last)).close();
      }
      assertThat(readAfter(store, last, sum)).isEqualTo(CENTRES * EACH);
      Set<String> elements = readAfter(store, last, set);
      assertThat(elements).hasSize((int) (CENTRES * (EACH - 1) + 1));
    }
  }

  @Test
  void readWaitsForAPartitionedDependency() {
    CounterKey key = counter("cut");
    CausalToken before = stores.get(0).update(key.increment(1));
    assertThat(readAfter(stores.get(2), before, key)).isEqualTo(1);

    cables.get(0).cut(2);
    CausalToken relayed = stores.get(0).update(key.increment(1));
    // The reader need not wait: the second data centre forwards the transaction.
    assertThat(readAfter(stores.get(1), relayed, key)).isEqualTo(2);
    assertThat(readAfter(stores.get(2), relayed, key)).isEqualTo(2);

    cables.get(1).cut(2);
    CausalToken missing = stores.get(0).update(key.increment(1));
    assertThat(readAfter(stores.get(1), missing, key)).isEqualTo(3);
    CompletableFuture<Long> reading =
        CompletableFuture.supplyAsync(() -> readAfter(stores.get(2), missing, key));
    assertThat(stores.get(2).read(key)).isEqualTo(2);
    assertThat(reading).isNotDone();

    cables.forEach(LinkFaults::heal);
    assertThat(reading.join()).isEqualTo(3);
  }

  @Test
  void boundedCounterRequestsRights() {
    BoundedCounterKey seats = Key.boundedCounter("antidote", "seats");
    CausalToken made = stores.get(0).update(seats.increment(10));
    stores.get(0).update(seats.decrement(4));
    stores.get(1).begin(TransactionOptions.defaults().after(made)).close();
    assertThatThrownBy(() -> stores.get(1).update(seats.decrement(3)))
        .isInstanceOf(MissingRightsException.class);
    while (!isTaken(stores.get(1), seats, 3)) {
      LockSupport.parkNanos(1_000_000);
    }
    assertThatThrownBy(() -> stores.get(1).update(seats.decrement(8)))
        .isInstanceOf(MissingRightsException.class);

    // A concurrent decrement in the same data centre aborts this one.
    try (Transaction late =
        stores.get(0).begin(TransactionOptions.defaults().certify(Certification.READS_WRITES))) {
      assertThat(late.read(seats)).isPositive();
      stores.get(0).update(seats.increment(1));
      late.update(seats.increment(1));
      assertThatThrownBy(late::commit).isInstanceOf(ConflictException.class);
    }
  }

  private static boolean isTaken(Store store, BoundedCounterKey seats, long amount) {
    try {
      store.update(seats.decrement(amount));
      return true;
    } catch (MissingRightsException e) {
      return false;
    }
  }

  @Test
  void lateJoinerReceivesEarlierCommits() {
    CounterKey key = counter("late");
    for (int i = 0; i < 300; i++) {
      stores.get(i % CENTRES).update(key.increment(1));
    }
    for (Store store : stores) {
      CausalToken last = store.update(key.increment(1));
      stores.get(0).begin(TransactionOptions.defaults().after(last)).close();
    }
    try (Store late = new DataCentreStores(directory).joined("late", stores.get(0))) {
      assertThat(late.read(key)).isEqualTo(300 + CENTRES);
      CausalToken there = late.update(key.increment(1));
      assertThat(readAfter(stores.get(2), there, key)).isEqualTo(301 + CENTRES);
      late.dataCentres().leave(Duration.ofMinutes(1));
    }
  }
}
