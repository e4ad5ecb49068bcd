package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.LinkFaults;
import io.github.stablecut.replication.Replication;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clusters are data centres with the guarantees of stores in one process. */
final class ClusterDataCentresTest {
  private static final int PARTITIONS = 4;
  private static final CounterKey ONE = Key.counter("b", "one");

  @TempDir private Path directory;

  private Store first() {
    return Stablecut.open(
        directory.resolve("store"),
        StoreOptions.defaults()
            .withPartitions(PARTITIONS)
            .withReplication(Replication.tcp("127.0.0.1:0")));
  }

  private static String address(Store store) {
    return "127.0.0.1:" + store.dataCentres().port().orElseThrow();
  }

  private static long readAfter(Store store, CausalToken token, CounterKey query) {
    try (Transaction transaction = store.begin(TransactionOptions.defaults().after(token))) {
      return transaction.read(query);
    }
  }

  @Test
  void aClusterJoinsAStoreWithData() throws Exception {
    try (Store store = first()) {
      store.update(ONE.increment(1));
      try (ReplicatedCluster cluster =
          ReplicatedCluster.joined("n", directory, 2, address(store))) {
        assertThat(cluster.store(0).read(ONE)).isEqualTo(1);
        assertThat(cluster.store(1).read(ONE)).isEqualTo(1);

        CausalToken there = store.update(ONE.increment(10));
        assertThat(readAfter(cluster.store(1), there, ONE)).isEqualTo(11);

        for (int partition = 0; partition < PARTITIONS; partition += 2) {
          cluster.move(partition, 1);
        }
        for (int i = 0; i < 20; i++) {
          CounterKey key = Key.counter("b", "k" + i);
          CausalToken here = cluster.store(i % 2).update(key.increment(i), ONE.increment(1));
          assertThat(readAfter(store, here, key)).isEqualTo(i);
          CausalToken back = store.update(key.increment(100));
          assertThat(readAfter(cluster.store((i + 1) % 2), back, key)).isEqualTo(100 + i);
        }
        assertThat(store.read(ONE)).isEqualTo(31);
      }
    }
  }

  @Test
  void aStoreJoinsAClusterWhosePartitionsAreOnSeveralNodes() throws Exception {
    try (ReplicatedCluster cluster = ReplicatedCluster.form("n", directory, 2, PARTITIONS)) {
      for (int i = 0; i < 20; i++) {
        cluster.store(i % 2).update(Key.counter("b", "k" + i).increment(i));
      }
      Replication replication =
          Replication.tcp("127.0.0.1:0").join(cluster.address(0)).join(cluster.address(1));
      try (Store store =
          Stablecut.open(
              directory.resolve("store"), StoreOptions.defaults().withReplication(replication))) {
        for (int i = 0; i < 20; i++) {
          assertThat(store.read(Key.counter("b", "k" + i))).isEqualTo(i);
        }
        CausalToken here = store.update(ONE.increment(1));
        assertThat(readAfter(cluster.store(0), here, ONE)).isEqualTo(1);
        CausalToken there = cluster.store(1).update(ONE.increment(10));
        assertThat(readAfter(store, there, ONE)).isEqualTo(11);
      }
    }
  }

  @Test
  void aClusterWhosePartitionsAreOnSeveralNodesLeaves() throws Exception {
    LinkFaults cable = new LinkFaults(1);
    try (ReplicatedCluster cluster = ReplicatedCluster.form("n", directory, 2, PARTITIONS)) {
      Replication replication =
          Replication.tcp("127.0.0.1:0").join(cluster.address(0)).through(cable::around);
      try (Store store =
          Stablecut.open(
              directory.resolve("store"), StoreOptions.defaults().withReplication(replication))) {
        cable.cutAll();
        for (int i = 0; i < 20; i++) {
          cluster.store(i % 2).update(Key.counter("b", "k" + i).increment(i));
        }

        assertThatThrownBy(() -> cluster.store(1).dataCentres().leave(Duration.ofMillis(100)))
            .isInstanceOf(ReplicationRefusedException.class)
            .hasMessageContaining("still lacks transactions");
        for (int i = 0; i < 20; i++) {
          CounterKey key = Key.counter("b", "k" + i);
          Store node = cluster.store(i % 2);
          Eventually.holds("node accepts transactions again", () -> isWritten(node, key));
        }

        cable.heal();
        cluster.store(1).dataCentres().leave(Duration.ofSeconds(60));
        for (int i = 0; i < 20; i++) {
          CounterKey key = Key.counter("b", "k" + i);
          assertThat(isWritten(cluster.store(i % 2), key)).isFalse();
          assertThat(store.read(key)).isEqualTo(i + 1);
        }
        assertThat(store.dataCentres().all().get(0).state()).isEqualTo(DataCentre.State.DETACHED);
      }
    }
  }

  @Test
  void aClusterWhosePartitionsAreOnSeveralNodesIsDetached() throws Exception {
    try (ReplicatedCluster cluster = ReplicatedCluster.form("n", directory, 2, PARTITIONS)) {
      Replication replication = Replication.tcp("127.0.0.1:0").join(cluster.address(0));
      try (Store store =
              Stablecut.open(
                  directory.resolve("store"),
                  StoreOptions.defaults().withReplication(replication));
          Store other =
              Stablecut.open(
                  directory.resolve("other"),
                  StoreOptions.defaults().withReplication(replication.join(address(store))))) {
        for (int i = 0; i < 20; i++) {
          CounterKey key = Key.counter("b", "k" + i);
          CausalToken token = cluster.store(i % 2).update(key.increment(1));
          assertThat(readAfter(store, token, key)).isEqualTo(1);
        }

        store.dataCentres().detach(0);

        for (int i = 0; i < 2; i++) {
          Store node = cluster.store(i);
          Eventually.holds(
              "node " + i + " reports it",
              () -> node.status().toString().contains("was detached from its group"));
        }
        for (int i = 0; i < 20; i++) {
          Store node = cluster.store(i % 2);
          CounterKey key = Key.counter("b", "k" + i);
          assertThatThrownBy(() -> node.update(key.increment(1)))
              .isInstanceOf(StablecutException.class)
              .hasMessageContaining("was detached from its group");
        }
        CausalToken token = store.update(ONE.increment(1));
        assertThat(readAfter(other, token, ONE)).isEqualTo(1);
        for (int i = 0; i < 20; i++) {
          CounterKey key = Key.counter("b", "k" + i);
          assertThat(cluster.store(i % 2).read(key)).isEqualTo(1);
          // Its earlier commits have reached all.
          assertThat(other.read(key)).isEqualTo(1);
          assertThat(store.read(key)).isEqualTo(1);
        }
        // The next data centre gets its number elsewhere.
        try (Store third =
            Stablecut.open(
                directory.resolve("third"),
                StoreOptions.defaults()
                    .withReplication(Replication.tcp("127.0.0.1:0").join(address(store))))) {
          assertThat(third.read(ONE)).isEqualTo(1);
          assertThat(third.dataCentres().own()).isEqualTo(3);
        }
      }
    }
  }

  private static boolean isWritten(Store node, CounterKey key) {
    try {
      node.update(key.increment(1));
      return true;
    } catch (StablecutException e) {
      return false;
    }
  }

  /**
   * A node announces a time only if no later transaction commits at or below it. Seconds after the
   * last commit, journals announce times only because a reader waits for them.
   */
  private static void readAtTheTimeOf(Store there, Store here) throws Exception {
    Instant idle = there.update(Key.counter("b", "last").increment(1)).time().plusSeconds(5);
    Eventually.holds("it is idle", () -> there.snapshot().token().time().isAfter(idle));

    assertThat(here.at(there.snapshot().token()).read(ONE)).isZero();
  }

  @Test
  void clustersStayEqualWhilePartitionsMoveAndNodesRestart() throws Exception {
    long seed = ThreadLocalRandom.current().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    try (ReplicatedCluster one = ReplicatedCluster.form("a", directory, 2, PARTITIONS)) {
      try (ReplicatedCluster two = ReplicatedCluster.joined("b", directory, 2, one.address(1))) {
        List<Supplier<Store>> all = new ArrayList<>(one.connections());
        all.addAll(two.connections());
        try (PairLoad load = new PairLoad("pairs", all)) {
          for (int i = 0; i < 6; i++) {
            ReplicatedCluster some = random.nextBoolean() ? one : two;
            some.move(random.nextInt(PARTITIONS), random.nextInt(2));
          }
          load.awaitProgress();
          one.restart(1);
          two.restart(0);
          load.awaitProgress();

          load.checkEqual(List.of(one.store(0), one.store(1), two.store(0), two.store(1)));
        }
        readAtTheTimeOf(one.store(0), two.store(1));
      }
    }
  }
}
