package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
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
 * Large objects on nodes with little memory: some may have to wait or try again, and no node ends.
 */
class TrafficTest {
  private static final int THREADS = 8;
  private static final int ROUNDS = 8;
  private static final int BYTES = 4 << 20;

  /** The most that fits a thirty-second of 256 MiB. */
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

  /** Does something that may be done twice, until it is done or refused for good. */
  private static <T> T persist(Callable<T> action) throws Exception {
    while (true) {
      try {
        return action.call();
      } catch (RetryException | OutcomeUnknownException e) {
        Thread.sleep(50);
      }
    }
  }

  private static int write(NodeProcess node, int thread) throws Exception {
    int done = 0;
    try (Store store = node.connect()) {
      for (int round = 1; round <= ROUNDS; round++) {
        Bytes value = value(thread, round, BYTES);
        // Of two partitions, or of one: parts of transactions, and whole ones.
        var unused =
            persist(
                () -> store.update(key(thread, "a").assign(value), key(thread, "b").assign(value)));
        for (String name : List.of("a", "b")) {
          var read = persist(() -> store.read(key(thread, name)));
          assertThat(read.orElseThrow().at(BYTES - 1)).isEqualTo(round);
        }
        done++;
      }
    }
    return done;
  }

  @Test
  void largeRegistersOfManyClientsEndNoNode() throws Exception {
    // Of the heap what messages between nodes need is to be the most.
    Path settings =
        Files.writeString(
            directory.resolve("settings.conf"),
            "stablecut.store { partitions = 2, cache-bytes = 16 MiB }");
    List<NodeProcess.Options> options =
        TestCluster.options(directory, 2).stream()
            .map(one -> one.withHeap("400m").with("--config", settings.toString()))
            .toList();
    ExecutorService clients = Executors.newFixedThreadPool(THREADS);
    try (TestCluster cluster = TestCluster.form(options)) {
      cluster.awaitWhole();
      List<Future<Integer>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        all.add(clients.submit(() -> write(cluster.node(thread % 2), thread)));
      }
      for (Future<Integer> one : all) {
        try {
          assertThat(one.get()).isEqualTo(ROUNDS);
        } catch (ExecutionException e) {
          fail(cluster.said(), e);
        }
      }
      cluster.awaitWhole();
      assertThat(cluster.said()).doesNotContain("OutOfMemoryError");
    } finally {
      var unused = clients.shutdownNow();
    }
  }

  private static <T> T persist(NodeProcess node, Callable<T> action) throws Exception {
    return persist(
        () -> {
          if (!node.isAlive()) {
            throw new IllegalStateException("the node has ended:\n" + node.said());
          }
          return action.call();
        });
  }

  private static int writeOne(NodeProcess node, int thread) throws Exception {
    int done = 0;
    try (Store store = node.connect()) {
      for (int round = 1; round <= ROUNDS; round++) {
        Bytes value = value(thread, round, LARGEST);
        var unused = persist(node, () -> store.update(key(thread, "a").assign(value)));
        var read = persist(node, () -> store.read(key(thread, "a")));
        assertThat(read.orElseThrow().at(LARGEST - 1)).isEqualTo(round);
        done++;
      }
    }
    return done;
  }

  @Tag("long")
  @Test
  void largeRegistersWithCopiesEndNoNode() throws Exception {
    List<NodeProcess.Options> options =
        TestCluster.options(directory, 3).stream()
            .map(one -> one.withHeap("256m").with("--copies", "3", "--partitions", "3"))
            .toList();
    ExecutorService clients = Executors.newFixedThreadPool(THREADS);
    try (TestCluster cluster = TestCluster.form(options)) {
      cluster.awaitWhole();
      cluster.awaitCopies();
      List<Future<Integer>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        all.add(clients.submit(() -> writeOne(cluster.node(thread % 3), thread)));
      }
      for (Future<Integer> one : all) {
        try {
          assertThat(one.get()).isEqualTo(ROUNDS);
        } catch (ExecutionException e) {
          fail(cluster.said(), e);
        }
      }
      cluster.awaitWhole();
      assertThat(cluster.said()).doesNotContain("OutOfMemoryError");
    } finally {
      var unused = clients.shutdownNow();
    }
  }
}
