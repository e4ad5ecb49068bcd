package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Injects an error on each thread of a node. Afterwards the node works, ends, or reports why it is
 * not ready, and no thread waits forever. {@code BrokenNodeTest} covers short-lived threads.
 */
class ThreadErrorsTest {
  private static final String ACTORS = "stablecut-akka.actor.default-dispatcher";
  private static final String SOCKETS = "stablecut-net";
  private static final String HTTP_SOCKETS = "stablecut-http";
  private static final String WORKERS = "stablecut-work";
  private static final String TICK = "partitions-tick";
  private static final String ADMIN = "stablecut-operate";

  /** How often all partitions are written and read to trigger an error. */
  private static final int ROUNDS = 3;

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final List<CounterKey> KEYS =
      List.of(1, 2, 3, 4, 5, 6, 7, 8).stream().map(i -> Key.counter("b", "k" + i)).toList();

  @TempDir private Path directory;

  private enum Health {
    WORKS,
    SAYS_NOT_READY,
    HAS_ENDED,

    /** None of the other states, so far. */
    UNKNOWN,

    /** No thread of that kind has run. */
    IDLE
  }

  private static Health health(TestCluster cluster) throws InterruptedException {
    if (!cluster.node(0).isAlive()) {
      return Health.HAS_ENDED;
    }
    try {
      if (status(cluster.node(0), "/ready") == 503) {
        return Health.SAYS_NOT_READY;
      }
      return works(cluster.node(0)) && works(cluster.node(1)) ? Health.WORKS : Health.UNKNOWN;
    } catch (IOException e) {
      return Health.UNKNOWN;
    }
  }

  private static int status(NodeProcess node, String path)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(node.operations() + path))
            .timeout(Duration.ofSeconds(15))
            .build();
    return HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  /** Whether all partitions can be written and read through a node. */
  private static boolean works(NodeProcess node) {
    try (Store store = Stablecut.connect("stablecut://127.0.0.1:" + node.port() + "?timeout=30")) {
      for (CounterKey key : KEYS) {
        store.update(key.increment(1));
      }
      store.update(KEYS.get(0).increment(1), KEYS.get(1).increment(1));
      return store.read(KEYS).get(KEYS.get(0)) > 0;
    } catch (StablecutException e) {
      return false;
    }
  }

  /** Injects an error on a thread of a kind, and returns the resulting health of the node. */
  private Health inject(TestCluster cluster, String kind, int entries) throws Exception {
    String thrown = "";
    try (ErrorInjector injector = new ErrorInjector(directory)) {
      injector.arm(kind, entries);
      for (int round = 0; thrown.isEmpty() && round < ROUNDS; round++) {
        health(cluster);
        thrown = injector.thrown();
      }
      injector.disarm();
      if (thrown.isEmpty()) {
        return Health.IDLE;
      }
    } catch (IOException e) {
      Eventually.holds("the node has ended", () -> !cluster.node(0).isAlive());
    }
    Health[] last = {Health.UNKNOWN};
    Eventually.holds(
        "after an error on %s, in %s, the node works, or says why not".formatted(kind, thrown),
        () -> {
          last[0] = health(cluster);
          return !last[0].equals(Health.UNKNOWN);
        });
    System.out.printf("an error on %s, in %s: %s%n", kind, thrown, last[0]);
    return last[0];
  }

  /** Restarts a node that does not work. It has ended or is ended, and has logged the reason. */
  private static void restart(TestCluster cluster, Health health) throws Exception {
    NodeProcess broken = cluster.node(0);
    if (health.equals(Health.HAS_ENDED)) {
      assertThat(broken.exitCode()).isNotZero();
    } else if (health.equals(Health.SAYS_NOT_READY)) {
      // It may end by itself, or wait for an administrator.
      broken.terminate();
    } else {
      return;
    }
    Eventually.holds(
        "it has logged the reason", () -> broken.output().contains("OutOfMemoryError"));
    cluster.restart(0);
    cluster.awaitWhole();
  }

  private TestCluster form() throws Exception {
    List<NodeProcess.Options> options = new ArrayList<>(TestCluster.options(directory, 2));
    options.set(0, options.get(0).withHeap("512m").withFlags(ErrorInjector.flag(directory)));
    TestCluster cluster = TestCluster.form(options);
    cluster.awaitWhole();
    assertThat(works(cluster.node(0))).isTrue();
    return cluster;
  }

  private Map<String, Health> injectAll(TestCluster cluster, Set<String> kinds, int entries)
      throws Exception {
    Map<String, Health> outcomes = new TreeMap<>();
    for (String kind : kinds) {
      Health after = inject(cluster, kind, entries);
      outcomes.put(kind, after);
      restart(cluster, after);
    }
    return outcomes;
  }

  @Test
  void survivesErrorsOnServingThreadsAndEndsAfterOneOnAnActors() throws Exception {
    try (TestCluster cluster = form()) {
      Set<String> serving = Set.of(SOCKETS, HTTP_SOCKETS, WORKERS, TICK, ADMIN);

      assertThat(injectAll(cluster, serving, 0))
          .hasSize(serving.size())
          .allSatisfy((kind, health) -> assertThat(health).isEqualTo(Health.WORKS));
      assertThat(inject(cluster, ACTORS, 0)).isIn(Health.HAS_ENDED, Health.SAYS_NOT_READY);
    }
  }

  @Test
  @Tag("long")
  void noErrorOnAThreadDisablesANodeSilently() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    System.out.println("seed " + seed);
    try (TestCluster cluster = form()) {
      for (int round = 0; round < 5; round++) {
        Set<String> kinds;
        try (ErrorInjector injector = new ErrorInjector(directory)) {
          kinds = injector.kinds();
        }
        Set<String> done = new TreeSet<>();
        injectAll(cluster, kinds, round == 0 ? 0 : random.nextInt(1 << (2 * round)))
            .forEach(
                (kind, health) -> {
                  if (!health.equals(Health.IDLE)) {
                    done.add(kind);
                  }
                });

        assertThat(done).contains(ACTORS, SOCKETS, HTTP_SOCKETS, WORKERS, TICK);
      }
    }
  }
}
