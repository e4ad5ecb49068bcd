package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Large objects on nodes with little memory: some requests have to wait or be retried, and no node
 * ends.
 */
class TrafficTest {
  private static final int THREADS = 8;
  private static final int ROUNDS = 4;
  private static final int BYTES = 4 << 20;

  /** The largest value that fits one thirty-second of 256 MiB. */
  private static final int LARGEST = (8 << 20) - (1 << 10);

  @TempDir Path directory;

  private static RegisterKey<Bytes> key(int thread, String name) {
    return Key.register("traffic", name + thread, Codec.bytes());
  }

  private static Bytes value(int thread, int round, int bytes) {
    byte[] value = new byte[bytes];
    value[0] = (byte) thread;
    value[bytes - 1] = (byte) round;
    return Bytes.wrap(value);
  }

  /** Retries an idempotent action until it succeeds or is permanently refused. */
  @CanIgnoreReturnValue
  private static <T> T retry(NodeProcess node, Callable<T> action) throws Exception {
    while (true) {
      if (!node.isAlive()) {
        throw new IllegalStateException("the node has ended:\n" + node.output());
      }
      try {
        return action.call();
      } catch (RetryException | OutcomeUnknownException e) {
        Thread.sleep(50);
      }
    }
  }

  /** Writes some objects in a transaction and reads each, repeatedly. */
  private static int write(NodeProcess node, int thread, int bytes, List<String> names)
      throws Exception {
    int done = 0;
    try (Store store = node.connect()) {
      for (int round = 1; round <= ROUNDS; round++) {
        Bytes value = value(thread, round, bytes);
        Update[] updates =
            names.stream().map(name -> key(thread, name).assign(value)).toArray(Update[]::new);
        retry(node, () -> store.update(updates));
        for (String name : names) {
          var read = retry(node, () -> store.read(key(thread, name)));
          assertThat(read.orElseThrow().at(bytes - 1)).isEqualTo(round);
        }
        done++;
      }
    }
    return done;
  }

  /** Runs clients of all nodes to completion; no node ends. */
  private static void writes(TestCluster cluster, int nodes, int bytes, List<String> names)
      throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Integer>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        all.add(clients.submit(() -> write(cluster.node(thread % nodes), thread, bytes, names)));
      }
      for (Future<Integer> one : all) {
        try {
          assertThat(one.get()).isEqualTo(ROUNDS);
        } catch (ExecutionException e) {
          fail(cluster.output(), e);
        }
      }
      cluster.awaitWhole();
      assertThat(cluster.output()).doesNotContain("OutOfMemoryError");
    } finally {
      clients.shutdownNow();
    }
  }

  @Test
  void largeRegistersOfManyClientsEndNoNode() throws Exception {
    // The limit for messages between nodes is the largest use of the heap.
    Path settings =
        Files.writeString(
            directory.resolve("settings.conf"),
            "stablecut.store { partitions = 2, cache-bytes = 16 MiB }");
    List<NodeProcess.Options> options =
        TestCluster.options(directory, 2).stream()
            .map(one -> one.withHeap("400m").with("--config", settings.toString()))
            .toList();
    try (TestCluster cluster = TestCluster.form(options)) {
      cluster.awaitWhole();
      // Objects on two partitions or one: parts of transactions, and whole transactions.
      writes(cluster, 2, BYTES, List.of("a", "b"));
    }
  }

  @Tag("long")
  @Test
  void largeRegistersWithReplicasEndNoNode() throws Exception {
    List<NodeProcess.Options> options =
        TestCluster.options(directory, 3).stream()
            .map(one -> one.withHeap("256m").with("--replicas", "3", "--partitions", "3"))
            .toList();
    try (TestCluster cluster = TestCluster.form(options)) {
      cluster.awaitWhole();
      cluster.awaitReplicas();
      writes(cluster, 3, LARGEST, List.of("a"));
    }
  }
}
