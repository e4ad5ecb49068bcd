package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.WatchOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Watches of a store whose partitions are on two nodes and move between them. */
final class ClusterWatchTest {
  private static final int PARTITIONS = 4;
  private static final int TRANSACTIONS = 60;
  private static final Executor THREADS = task -> new Thread(task).start();

  @TempDir private Path directory;
  private final List<ClusterNode> nodes = new ArrayList<>();

  @BeforeEach
  void form() throws IOException {
    List<Integer> ports = Ports.free(2);
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    for (int i = 0; i < 2; i++) {
      ClusterSettings settings =
          new ClusterSettings(
              "n" + i, Endpoint.loopback(ports.get(i)), seeds, 2, 0, Long.MAX_VALUE);
      nodes.add(
          ClusterNode.join(
              directory.resolve("n" + i),
              StoreOptions.defaults().withPartitions(PARTITIONS),
              settings));
    }
    for (ClusterNode node : nodes) {
      node.store();
    }
  }

  @AfterEach
  void end() {
    nodes.forEach(ClusterNode::close);
  }

  /** A counter of the transactions that a writer has committed. */
  private static CounterKey transactions(int writer) {
    return Key.counter("watched", "transactions" + writer);
  }

  /** Commits transactions that update two objects each, mostly on two partitions. */
  private void write(int writer) {
    Store store = nodes.get(writer).store();
    for (int i = 0; i < TRANSACTIONS; i++) {
      CounterKey other = Key.counter("watched", "other%d-%d".formatted(writer, i % 8));
      store.update(transactions(writer).increment(), other.increment());
    }
  }

  private void moveAll() {
    try {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        String to = nodes.get(0).partitions().get(partition).node().equals("n0") ? "n1" : "n0";
        int moved = partition;
        nodes.get(0).move(partition, to);
        Eventually.holds(
            "it has moved", () -> nodes.get(0).partitions().get(moved).node().equals(to));
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Checks that a watch delivers each transaction of both writers once, completely and in order.
   */
  private void check(int resumeAfter, CausalToken begin) {
    int[] last = new int[2];
    CausalToken after = begin;
    int delivered = 0;
    try {
      while (delivered < 2 * TRANSACTIONS) {
        Store store = nodes.get(delivered / resumeAfter % 2).store();
        try (Watch watch = store.watch("watched", "", WatchOptions.after(after))) {
          for (int i = 0; i < resumeAfter && delivered < 2 * TRANSACTIONS; i++) {
            Change change = watch.next();
            int writer = change.objects().contains(transactions(0)) ? 0 : 1;
            last[writer]++;
            delivered++;
            assertThat(change.objects()).hasSize(2).contains(transactions(writer));
            assertThat(change.read(transactions(writer))).isEqualTo(last[writer]);
            after = change.token();
          }
        }
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertThat(last).containsExactly(TRANSACTIONS, TRANSACTIONS);
  }

  @Test
  void deliversEachTransactionOnceCompleteAndInOrderWhilePartitionsMove() {
    CausalToken begin = nodes.get(0).store().update(Key.counter("b", "k").increment());
    List<CompletableFuture<Void>> all =
        List.of(
            CompletableFuture.runAsync(() -> check(1 << 20, begin), THREADS),
            CompletableFuture.runAsync(() -> check(7, begin), THREADS),
            CompletableFuture.runAsync(() -> write(0), THREADS),
            CompletableFuture.runAsync(() -> write(1), THREADS),
            CompletableFuture.runAsync(this::moveAll, THREADS));

    all.forEach(CompletableFuture::join);
  }
}
