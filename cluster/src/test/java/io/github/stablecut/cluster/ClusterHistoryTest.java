package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.ClusterFaults.Fault;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.testing.history.CausalCheck;
import io.github.stablecut.testing.history.HistoryRecorder;
import io.github.stablecut.testing.history.RecordedTransaction;
import io.github.stablecut.testing.history.RecordedTransaction.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Histories of clients of a cluster whose nodes fail: transactions are atomic and causally
 * consistent, sessions never go backwards, and all acknowledged commits are there at the end. The
 * histories are in {@code target/histories/*.jsonl}, for other checkers.
 */
class ClusterHistoryTest {
  private static final int NODES = 3;
  private static final long AHEAD_MILLIS = 3_000;

  @TempDir private Path directory;

  /** What is done to a cluster while clients use it. */
  @FunctionalInterface
  private interface Ordeal {
    void inflict(ClusterFaults faults, Random random) throws Exception;
  }

  @Test
  void whatSessionsSawWhileNodesFailedIsCausal() throws Exception {
    judge(
        20261121,
        (faults, random) -> {
          faults.inflict(Fault.KILL, 1, random);
          faults.inflict(Fault.MOVE, 0, random);
          faults.inflict(Fault.STOP, 2, random);
          faults.inflict(Fault.CUT, 0, random);
        });
  }

  /**
   * For {@code -Dstablecut.minutes}, 10 if nothing else is said. The order of faults follows from
   * {@code -Dstablecut.seed}; what clients and nodes do at which moment does not.
   */
  @Test
  @Tag("long")
  void whatSessionsSawWhileNodesFailedInAnyOrderIsCausal() throws Exception {
    long seed = Long.getLong("stablecut.seed", System.nanoTime());
    Duration time = Duration.ofMinutes(Long.getLong("stablecut.minutes", 10));
    long end = System.nanoTime() + time.toNanos();
    judge(
        seed,
        (faults, random) -> {
          Fault[] all = Fault.values();
          while (System.nanoTime() - end < 0) {
            faults.inflict(all[random.nextInt(all.length)], random.nextInt(NODES), random);
          }
        });
  }

  /** With three copies of each partition: clients go on with the same objects meanwhile. */
  @Test
  @Tag("long")
  void whatSessionsSawWhileCopiesTookOverIsCausal() throws Exception {
    judge(
        nodes("stablecut { cluster.replicas = 3, store.partitions = 4 }"),
        20261126,
        (faults, random) -> {
          for (Fault next :
              List.of(Fault.KILL, Fault.STOP_SHORTLY, Fault.CUT_SHORTLY, Fault.RESTART)) {
            for (int node = 0; node < NODES; node++) {
              faults.inflict(next, node, random);
            }
          }
        });
  }

  private void judge(long seed, Ordeal ordeal) throws Exception {
    judge(nodes(""), seed, ordeal);
  }

  private void judge(List<Options> nodes, long seed, Ordeal ordeal) throws Exception {
    String again = "with -Dstablecut.seed=" + seed;
    System.out.println("faults " + again);
    Path file =
        Files.createDirectories(Path.of("target", "histories"))
            .resolve("cluster-" + seed + ".jsonl")
            .toAbsolutePath();
    List<RecordedTransaction> history;
    try (TestCluster cluster = TestCluster.formBehindProxies(nodes);
        HistoryRecorder recorder = HistoryRecorder.create(file, "a cluster, " + again);
        OwnershipWatch watch = new OwnershipWatch(cluster, recorder);
        HistoryLoad load = new HistoryLoad(cluster, recorder, seed)) {
      cluster.awaitWhole();
      try {
        ordeal.inflict(new ClusterFaults(cluster, load, recorder), new Random(seed));
      } catch (Exception | AssertionError e) {
        System.out.println(cluster.said());
        throw e;
      }
      load.readFinally();
      if (cluster.report(0).path("replicas").isEmpty()) {
        watch.check();
      }
      cluster.checkOneOwnerPerEpoch();
      history = recorder.history();
    }
    List<String> violations = CausalCheck.violations(history, false);

    System.out.printf(
        "%,d transactions, %,d of which failed, and of %,d it is not known: %,d violations; %s%n",
        history.size(),
        count(history, Outcome.FAIL),
        count(history, Outcome.UNKNOWN),
        violations.size(),
        file);
    assertThat(violations).as("the history in %s, %s", file, again).isEmpty();
  }

  /**
   * Nodes whose clocks differ, so that what one has acknowledged is in another one's future. Who
   * asks for what is not decided is told so soon.
   */
  private List<Options> nodes(String more) throws IOException {
    Path file = directory.resolve("settings.conf");
    Files.writeString(file, "stablecut.store.timeouts { read = 2 s, commit = 2 s }\n" + more);
    List<Options> nodes = new ArrayList<>();
    for (Options one : TestCluster.options(directory, NODES)) {
      nodes.add(one.with("--config", file.toString()).ahead(nodes.size() * AHEAD_MILLIS));
    }
    return nodes;
  }

  private static long count(List<RecordedTransaction> history, Outcome outcome) {
    return history.stream().filter(transaction -> transaction.outcome() == outcome).count();
  }
}
