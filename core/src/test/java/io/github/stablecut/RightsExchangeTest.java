package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.replication.LinkFaults;
import io.github.stablecut.replication.Replication;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data centres request rights of bounded counters from each other. */
final class RightsExchangeTest {
  private static final BoundedCounterKey SEATS = Key.boundedCounter("hall", "seats");

  @TempDir Path directory;

  private final LinkFaults cable = new LinkFaults(1);
  private Store berlin;
  private Store tokyo;

  @BeforeEach
  void open() {
    berlin = open("berlin", Replication.tcp("127.0.0.1:0").through(cable::around));
    tokyo =
        open(
            "tokyo",
            Replication.tcp("127.0.0.1:0")
                .join("127.0.0.1:" + berlin.dataCentres().port().orElseThrow()));
  }

  @AfterEach
  void close() {
    tokyo.close();
    berlin.close();
  }

  private Store open(String name, Replication replication) {
    return Stablecut.open(
        directory.resolve(name), StoreOptions.defaults().withReplication(replication));
  }

  private static void awaitThere(Store store, CausalToken token) {
    store.begin(TransactionOptions.defaults().after(token)).close();
  }

  /** Decrements, retrying while rights are in flight; false if there are none. */
  private static boolean take(Store store, long amount) {
    while (true) {
      try {
        store.update(SEATS.decrement(amount));
        return true;
      } catch (MissingRightsException e) {
        if (store.read(SEATS) < amount) {
          return false;
        }
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  @Test
  void aRefusalNamesTheRequestedDataCentreAndTheRightsArriveSoon() {
    awaitThere(tokyo, berlin.update(SEATS.increment(10)));

    MissingRightsException refusal =
        catchThrowableOfType(MissingRightsException.class, () -> tokyo.update(SEATS.decrement(3)));

    assertThat(refusal)
        .hasMessageContaining("data centre 1 has 0 of the total 10")
        .hasMessageContaining("rights were requested from data centres 0: retry");
    assertThat(refusal.missing()).isEqualTo(3);
    assertThat(refusal.rights()).containsEntry(0, 10L);
    assertThat(take(tokyo, 3)).isTrue();
    // Half of what the other data centre had, which is more than the shortage.
    assertThat(tokyo.read(SEATS.rights())).containsEntry(0, 5L).containsEntry(1, 2L);
  }

  @Test
  void aRefusalRepeatedBeforeTheRightsArriveGetsThemOnce() {
    awaitThere(tokyo, berlin.update(SEATS.increment(16)));
    assertThat(take(tokyo, 1)).isTrue();

    assertThat(take(tokyo, 8)).isTrue();

    // 8 of 16 were transferred for the first request, 4 of the other 8 for the second.
    assertThat(tokyo.read(SEATS.rights())).containsEntry(0, 4L).containsEntry(1, 3L);
  }

  @Test
  void sellsEverythingOnceOverBoth() throws Exception {
    awaitThere(tokyo, berlin.update(SEATS.increment(60)));
    ExecutorService sellers = Executors.newFixedThreadPool(6);
    try {
      List<CompletableFuture<Integer>> sales =
          Stream.of(berlin, tokyo, berlin, tokyo, berlin, tokyo)
              .map(store -> CompletableFuture.supplyAsync(() -> sellAll(store), sellers))
              .toList();
      int sold = 0;
      for (CompletableFuture<Integer> sale : sales) {
        sold += sale.get();
      }
      assertThat(sold).isEqualTo(60);
    } finally {
      sellers.shutdown();
    }
  }

  private static int sellAll(Store store) {
    int sold = 0;
    while (take(store, 1)) {
      sold++;
    }
    return sold;
  }

  @Test
  void nothingWaitsForADisconnectedDataCentre() {
    awaitThere(tokyo, berlin.update(SEATS.increment(4)));
    cable.cutAll();
    assertThatThrownBy(() -> tokyo.update(SEATS.decrement(1)))
        .isInstanceOf(MissingRightsException.class);
    assertThat(take(berlin, 1)).isTrue();
    cable.heal();
    assertThat(take(tokyo, 1)).isTrue();
  }

  @Test
  void requestsNeitherExhaustedRightsNorThoseInsideAMap() {
    var hall = Key.map("hall", "map");
    BoundedCounterKey inside = hall.boundedCounter("seats");
    awaitThere(tokyo, berlin.update(inside.increment(4)));

    assertThatThrownBy(() -> tokyo.update(SEATS.decrement(1)))
        .isInstanceOf(MissingRightsException.class)
        .hasMessageEndingWith("increment there, or transfer rights to it");
    assertThatThrownBy(() -> tokyo.update(inside.decrement(1)))
        .isInstanceOf(MissingRightsException.class)
        .hasMessageEndingWith("increment there, or transfer rights to it");
  }
}
