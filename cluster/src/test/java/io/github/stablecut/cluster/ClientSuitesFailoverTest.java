package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import eu.antidotedb.client.AntidoteClient;
import io.github.stablecut.cluster.ForeignClients.ProcessResult;
import io.github.stablecut.cluster.NodeProcess.Options;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The test suites of AntidoteDB's clients for JavaScript, Python and Java run while the nodes of a
 * cluster with replicas are killed one after the other and restarted. Like their users, a failed
 * test is repeated from the beginning, at the next node and with new objects. Every read returns
 * correct values.
 *
 * <p>{@code -Dstablecut.seed} determines the times of the kills.
 */
@Tag("long")
final class ClientSuitesFailoverTest {
  private static final int NODES = 3;

  /** The number of kills, one of each node. */
  private static final int KILLS = 3;

  private static final List<Consumer<JavaClientContract>> JAVA =
      List.of(
          JavaClientContract::countsAndReadsWithoutTransactions,
          JavaClientContract::readsItsOwnWritesInATransactionAndAborts,
          JavaClientContract::updatesSeveralObjectsAtOnceAndReadsThemAtOnce,
          JavaClientContract::nestsObjectsInMapsAndRemovesThem,
          JavaClientContract::refusesATypeThatTheServerDoesNotHave);

  @TempDir private Path directory;

  /** Runs one client's tests repeatedly in a thread of their own. */
  private static final class Suite implements AutoCloseable {
    private final String name;
    private final Runnable once;
    private final AtomicInteger runs = new AtomicInteger();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile boolean isOver;

    Suite(String name, Runnable once) {
      this.name = name;
      this.once = once;
      this.thread = new Thread(this::run, "suite-" + name);
      thread.start();
    }

    private void run() {
      try {
        while (!isOver) {
          once.run();
          runs.incrementAndGet();
        }
      } catch (RuntimeException | AssertionError e) {
        failures.add(e);
      }
    }

    /** Waits until one more run has passed. */
    void awaitRun() throws Exception {
      int before = runs.get();
      Eventually.holds(
          name + " has passed once more",
          Duration.ofMinutes(20),
          () -> runs.get() > before || !failures.isEmpty());
      assertThat(failures).as(name).isEmpty();
    }

    @Override
    public void close() {
      isOver = true;
      Joining.all(List.of(thread));
    }
  }

  private TestCluster form() throws Exception {
    List<Options> options = new ArrayList<>();
    for (Options one : TestCluster.options(directory, NODES)) {
      options.add(
          // JavaScript's suite writes 166 MB in a transaction, and one thirty-second of the heap is
          // permitted.
          one.withHeap("5600m")
              .withFlags("-XX:TieredStopAtLevel=4")
              .with("--replicas", "3", "--partitions", "6"));
    }
    TestCluster cluster = TestCluster.form(options);
    cluster.awaitWhole();
    cluster.awaitReplicas();
    return cluster;
  }

  /** Repeats an action until it succeeds, and passes it the number of the attempt. */
  private static void retry(Queue<String> tries, Consumer<Integer> once) {
    for (int number = 0; ; number++) {
      try {
        once.accept(number);
        return;
      } catch (RuntimeException e) {
        tries.add(String.valueOf(e.getMessage()));
      }
    }
  }

  private static void javaScript(TestCluster cluster, Path folder, Queue<String> tries) {
    String ports =
        IntStream.range(0, NODES)
            .mapToObj(node -> "" + cluster.node(node).port())
            .collect(Collectors.joining(","));
    ProcessResult ended =
        ForeignClients.run(
            folder,
            Map.of("STABLECUT_PORTS", ports),
            "node",
            "--no-deprecation",
            "node_modules/mocha/bin/_mocha",
            "--no-timeouts",
            "--retries",
            "100",
            "suite.js",
            "node_modules/antidote_ts_client/dist/test.js");
    assertThat(ended.output())
        .contains("25 passing")
        .doesNotContain("failing")
        .doesNotContain("wrong: ");
    tries.add(ended.output().lines().filter(line -> line.endsWith(" tries")).findAny().orElse(""));
  }

  private static void python(TestCluster cluster, Path folder, Queue<String> tries) {
    retry(
        tries,
        number -> {
          ProcessResult ended =
              ForeignClients.run(
                  folder,
                  Map.of(),
                  ForeignClients.PYTHON,
                  "scenarios.py",
                  "" + cluster.node(number % NODES).port(),
                  "python" + System.nanoTime());
          assertThat(ended.output())
              .doesNotContain(", expected ")
              .doesNotContain("a clock did not");
          if (ended.code() != 0) {
            throw new IllegalStateException(lastLine(ended.output()));
          }
          assertThat(ended.output().lines().filter(line -> line.startsWith("ok: "))).hasSize(23);
        });
  }

  private static String lastLine(String output) {
    return output.lines().reduce("", (before, line) -> line);
  }

  private static void java(
      TestCluster cluster, Map<Integer, AntidoteClient> clients, Queue<String> tries) {
    for (Consumer<JavaClientContract> one : JAVA) {
      retry(tries, number -> java(cluster.node(number % NODES), clients, one));
    }
  }

  private static void java(
      NodeProcess node, Map<Integer, AntidoteClient> clients, Consumer<JavaClientContract> one) {
    JavaClientContract contract =
        new JavaClientContract() {
          @Override
          InetSocketAddress address() {
            return node.address();
          }

          @Override
          AntidoteClient connected() {
            return clients.computeIfAbsent(node.port(), port -> super.connected());
          }
        };
    contract.connect();
    try {
      one.accept(contract);
    } catch (AssertionError e) {
      // A test that expects a refusal would take the end of its node for one.
      if (node.isAlive()) {
        throw e;
      }
      throw new IllegalStateException("its node has ended", e);
    }
  }

  @Test
  void clientSuitesPassWhileNodesAreKilled() throws Exception {
    Path javaScript = ForeignClients.javaScript();
    Path python = ForeignClients.python();
    long seed = Long.getLong("stablecut.seed", System.nanoTime());
    System.out.println("nodes are killed with -Dstablecut.seed=" + seed);
    Random random = new Random(seed);
    List<Queue<String>> tries =
        List.of(
            new ConcurrentLinkedQueue<>(),
            new ConcurrentLinkedQueue<>(),
            new ConcurrentLinkedQueue<>());
    Map<Integer, AntidoteClient> clients = new HashMap<>();
    try (TestCluster cluster = form();
        Suite first = new Suite("JavaScript", () -> javaScript(cluster, javaScript, tries.get(0)));
        Suite second = new Suite("Python", () -> python(cluster, python, tries.get(1)));
        Suite third = new Suite("Java", () -> java(cluster, clients, tries.get(2)))) {
      List<Suite> suites = List.of(first, second, third);
      for (int kill = 0; kill < KILLS; kill++) {
        for (Suite suite : suites) {
          suite.awaitRun();
        }
        Thread.sleep(random.nextInt(3_000));
        int node = kill % NODES;
        cluster.node(node).kill();
        Thread.sleep(random.nextInt(3_000));
        cluster.restart(node);
        cluster.awaitWhole();
        cluster.awaitReplicas();
      }
      for (Suite suite : suites) {
        suite.awaitRun();
        suite.close();
        assertThat(suite.failures).as(suite.name).isEmpty();
        System.out.printf("%s has passed %d times%n", suite.name, suite.runs.get());
      }
      System.out.println("JavaScript needed " + tries.get(0));
      System.out.println("Failures of Python's suite: " + tries.get(1));
      System.out.println("Failures of Java's suite: " + tries.get(2));
    }
  }
}
