package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * While the owner of half of the partitions is frozen and clients wait for it, the other half and
 * the admin port keep their latency.
 */
class FrozenOwnerTest {
  /** Many more than a server's request threads. */
  private static final int CLIENTS = 48;

  /** The number of samples of each kind. */
  private static final int SAMPLES = 60;

  /**
   * The interval at which requests are due, regardless of earlier answers. A request's latency
   * counts from its due time, so a stall shows in all requests that were due meanwhile. All samples
   * take less time than the other nodes need to notice the frozen node.
   */
  private static final long INTERVAL_NANOS = 50_000_000;

  /**
   * A request that waits behind those for the frozen node takes seconds. A busy machine changes a
   * median far less than this ratio and {@link #FLOOR_NANOS}.
   */
  private static final int MAX_RATIO = 10;

  private static final long FLOOR_NANOS = 20_000_000;

  /**
   * The maximal number of freezes. Other load on the machine may disturb one of them, whereas
   * requests that wait for the frozen node show in each.
   */
  private static final int ROUNDS = 4;

  @TempDir private Path directory;

  /** Median latencies of requests, in nanoseconds. */
  private record Medians(long alive, long read) {}

  /** Medians before a freeze, before the other nodes notice it, and afterwards. */
  private record Round(Medians before, Medians unknown, Medians known) {
    boolean isQuick() {
      return isAsQuick(before.alive, unknown.alive)
          && isAsQuick(before.alive, known.alive)
          && isAsQuick(before.read, unknown.read)
          && isAsQuick(before.read, known.read);
    }
  }

  private static Store connect(NodeProcess node) {
    return connect(node, 60);
  }

  private static Store connect(NodeProcess node, int timeoutSeconds) {
    return Stablecut.connect(
        "stablecut://127.0.0.1:%d?timeout=%d".formatted(node.port(), timeoutSeconds));
  }

  private static CounterKey key(int i) {
    return Key.counter("half", "k" + i);
  }

  /** The objects of a node. */
  private static List<CounterKey> ownKeys(Store store, TestCluster cluster)
      throws IOException, InterruptedException {
    List<String> owners = cluster.owners(0);
    return IntStream.range(0, 64)
        .mapToObj(FrozenOwnerTest::key)
        .filter(key -> owners.get(store.partitionOf(key)).equals("n0"))
        .toList();
  }

  /** Waits until a time, unless it is past. */
  private static void awaitTime(long nanos) throws InterruptedException {
    long left = nanos - System.nanoTime();
    if (left > 0) {
      TimeUnit.NANOSECONDS.sleep(left);
    }
  }

  private static int alive(NodeProcess node) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) new URL(node.operations() + "/alive").openConnection();
    connection.setReadTimeout(60_000);
    return connection.getResponseCode();
  }

  private static Medians measure(NodeProcess node, Store store, List<CounterKey> keys)
      throws Exception {
    FutureTask<Long> alive =
        new FutureTask<>(() -> median(i -> assertThat(alive(node)).isEqualTo(200)));
    new Thread(alive, "alive").start();
    long read = median(i -> assertThat(store.read(keys.get(i % keys.size()))).isNotNegative());
    return new Medians(alive.get(), read);
  }

  /** A measured request. */
  @FunctionalInterface
  private interface Request {
    void send(int number) throws Exception;
  }

  /** The median latency of some requests, in nanoseconds. */
  private static long median(Request request) throws Exception {
    List<Long> latencies = new ArrayList<>();
    long startNanos = System.nanoTime();
    for (int i = 0; i < SAMPLES; i++) {
      long due = startNanos + i * INTERVAL_NANOS;
      awaitTime(due);
      request.send(i);
      latencies.add(System.nanoTime() - due);
    }
    Collections.sort(latencies);
    return latencies.get(SAMPLES / 2);
  }

  /** Reads objects of the other node and writes on both, until it is stopped. */
  private static long ask(NodeProcess node, int client, AtomicBoolean isOver)
      throws InterruptedException {
    long failed = 0;
    // A commit that waits for the frozen node lasts until it resumes or times out, and its outcome
    // is unknown.
    try (Store store = connect(node, 10)) {
      for (int i = client; !isOver.get(); i++) {
        try {
          if (i % 2 == 0) {
            assertThat(store.read(Key.counter("asked", "k" + i % 512))).isNotNegative();
          } else {
            store.update(
                Key.counter("asked", "k" + i % 512).increment(1),
                Key.counter("asked", "k" + (i + 7) % 512).increment(1));
          }
        } catch (StablecutException e) {
          failed++;
        }
        // The threads wait for the other node, and not for the processor.
        Thread.sleep(20);
      }
    }
    return failed;
  }

  private static HttpResponse<String> get(NodeProcess node, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(node.operations() + path)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static void assertReportsThatHalfIsUnreachable(NodeProcess node) throws Exception {
    assertThat(get(node, "/ready").statusCode()).isEqualTo(200);
    assertThat(get(node, "/ready").body())
        .startsWith("ready, but 4 of 8 partitions can't be reached: ")
        .contains("(node n1)");
    assertThat(get(node, "/ready?all").statusCode()).isEqualTo(503);
    assertThat(get(node, "/metrics").body())
        .contains("stablecut_cluster_partitions_unreachable 4.0")
        .contains("stablecut_cluster_partitions_owned 4.0")
        .contains("stablecut_cluster_nodes 1.0")
        .contains("stablecut_cluster_members 2.0")
        .containsPattern(
            "stablecut_cluster_partition_serving\\{node=\"n1\",partition=\"\\d\"} 0.0");
  }

  private static boolean isAsQuick(long before, long now) {
    return now < MAX_RATIO * Math.max(before, FLOOR_NANOS);
  }

  /** Freezes a node, measures the other one meanwhile, and resumes it. */
  private static Round freeze(TestCluster cluster, Store store, List<CounterKey> keys)
      throws Exception {
    NodeProcess node = cluster.node(0);
    Medians before = measure(node, store, keys);
    cluster.node(1).signal("STOP");
    // At first no node has noticed, and requests wait; afterwards they are refused.
    Medians unknown = measure(node, store, keys);
    Eventually.holds("the loss is known", () -> !cluster.lost(0).isEmpty());
    Medians known = measure(node, store, keys);
    assertReportsThatHalfIsUnreachable(node);
    cluster.node(1).signal("CONT");
    Round round = new Round(before, unknown, known);
    System.out.println("medians in nanoseconds: " + round);
    return round;
  }

  @Test
  void requestsWithoutTheFrozenNodeKeepTheirLatency() throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    AtomicBoolean isOver = new AtomicBoolean();
    try (TestCluster cluster = TestCluster.form(directory, 2);
        Store store = connect(cluster.node(0))) {
      NodeProcess node = cluster.node(0);
      cluster.awaitWhole();
      List<CounterKey> keys = ownKeys(store, cluster);
      assertThat(keys).isNotEmpty().hasSizeLessThan(64);
      List<Future<Long>> asking = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int client = i;
        asking.add(clients.submit(() -> ask(node, client, isOver)));
      }
      Medians warm = measure(node, store, keys);
      assertThat(warm.alive()).isPositive();

      Round round = freeze(cluster, store, keys);
      for (int i = 1; i < ROUNDS && !round.isQuick(); i++) {
        cluster.awaitWhole();
        round = freeze(cluster, store, keys);
      }
      isOver.set(true);

      assertThat(round).matches(Round::isQuick, "is as quick as before");
      long failed = 0;
      for (Future<Long> one : asking) {
        failed += one.get();
      }
      assertThat(failed).as("requests that failed").isPositive();
    } finally {
      isOver.set(true);
      clients.shutdownNow();
    }
  }
}
