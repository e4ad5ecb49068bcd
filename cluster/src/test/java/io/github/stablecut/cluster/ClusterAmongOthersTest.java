package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.cluster.internal.network.Tls;
import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.replication.Replication;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster of two nodes and an embedded store are data centres that trust certificates of one
 * authority: they exchange rights and watches.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClusterAmongOthersTest {
  private static final int PARTITIONS = 4;
  private static final int KEYS = 12;
  private static final long SEATS = 10;

  @TempDir private static Path directory;
  private Replication replication = Replication.tcp("127.0.0.1:0");
  private ReplicatedCluster cluster;
  private Store store;

  @BeforeAll
  void start() throws Exception {
    replication = replication.withTls(context("ours"));
    cluster = ReplicatedCluster.form("n", directory, 2, PARTITIONS, replication);
    store =
        Stablecut.open(
            directory.resolve("store"),
            StoreOptions.defaults().withReplication(replication.join(cluster.address(0))));
  }

  @AfterAll
  void close() {
    store.close();
    cluster.close();
  }

  private SSLContext context(String name) throws Exception {
    PemKeys.make(directory, name, "EC");
    Path certificate = directory.resolve(name + ".crt");
    return Tls.mutual(certificate, directory.resolve(name + ".key"), certificate);
  }

  private static void awaitThere(Store store, CausalToken token) {
    store.begin(TransactionOptions.defaults().after(token)).close();
  }

  private static Optional<CausalToken> taken(Store store, BoundedCounterKey counter, long amount) {
    try {
      return Optional.of(store.update(counter.decrement(amount)));
    } catch (MissingRightsException e) {
      return Optional.empty();
    }
  }

  /** Decrements the counter as soon as there are rights. */
  private static CausalToken take(Store store, BoundedCounterKey counter, long amount)
      throws Exception {
    List<CausalToken> tokens = new ArrayList<>();
    Eventually.holds(
        "rights have come",
        () -> {
          taken(store, counter, amount).ifPresent(tokens::add);
          return !tokens.isEmpty();
        });
    return tokens.get(0);
  }

  @Test
  void theyRequestRightsFromEachOther() throws Exception {
    // On each partition, and therefore also on those of the other node.
    for (int i = 0; i < KEYS; i++) {
      BoundedCounterKey counter = Key.boundedCounter("hall", "seats" + i);
      Store node = cluster.store(i % 2);
      awaitThere(node, store.update(counter.increment(SEATS)));

      assertThatThrownBy(() -> node.update(counter.decrement(1)))
          .isInstanceOf(MissingRightsException.class)
          .hasMessageContaining("rights were requested from data centres 1: retry");
      awaitThere(store, take(node, counter, 1));
      awaitThere(node, take(store, counter, SEATS - 1));
      assertThat(taken(node, counter, 1)).isEmpty();
      assertThat(node.read(counter)).isZero();
    }
  }

  @Test
  void aStoreWatchesTheTransactionsOfACluster() throws Exception {
    CounterKey[] keys =
        IntStream.range(0, KEYS)
            .mapToObj(i -> Key.counter("watched", "k" + i))
            .toArray(CounterKey[]::new);
    try (Watch watch = store.watch("watched")) {
      for (int i = 0; i < KEYS; i++) {
        CounterKey one = keys[i];
        CounterKey other = keys[(i + 1) % KEYS];
        Update[] both = {one.increment(1), other.increment(100)};
        awaitThere(store, cluster.store(i % 2).update(both));

        Change change = watch.next();

        assertThat(change.objects()).containsExactlyInAnyOrder(one, other);
        assertThat(change.read(one)).isEqualTo(i == 0 ? 1 : 101);
        assertThat(change.read(other)).isEqualTo(i == KEYS - 1 ? 101 : 100);
      }
    }
  }

  @Test
  void refusesADataCentreWithoutACertificateOfTheirAuthority() throws Exception {
    Replication strange = Replication.tcp("127.0.0.1:0").join(cluster.address(0));
    for (Replication stranger : new Replication[] {strange, strange.withTls(context("stranger"))}) {
      assertThatThrownBy(
              () ->
                  Stablecut.open(
                      directory.resolve("stranger"),
                      StoreOptions.defaults().withReplication(stranger)))
          .isInstanceOf(StoreIoException.class);
    }
    assertThat(store.dataCentres().all()).hasSize(2);
  }
}
