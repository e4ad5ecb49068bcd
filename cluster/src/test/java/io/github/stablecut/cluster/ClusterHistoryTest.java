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
 * Checks histories of clients of a cluster whose nodes fail: transactions are atomic and causally
 * consistent, sessions never go backwards, and all acknowledged commits are present at the end. The
 * histories are written to {@code target/histories/*.jsonl} for other checkers.
 */
class ClusterHistoryTest {
  private static final int NODES = 3;
  private static final long AHEAD_MILLIS = 3_000;

  @TempDir private Path directory;

  /** Faults of a cluster while clients use it. */
  @FunctionalInterface
  private interface FaultPlan {
    void inflict(ClusterFaults faults, Random random) throws Exception;
  }

  @Test
  void sessionsAreCausalWhileNodesFail() throws Exception {
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
   * Runs for {@code -Dstablecut.minutes}, 10 by default. {@code -Dstablecut.seed} determines the
   * order of faults, but not the interleaving of clients and nodes.
   */
  @Test
  @Tag("long")
  void sessionsAreCausalWhileNodesFailInAnyOrder() throws Exception {
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

  /**
   * With three replicas of each partition, clients continue with the same objects during faults.
   */
  @Test
  @Tag("long")
  void sessionsAreCausalWhileReplicasFailOver() throws Exception {
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

  private void judge(long seed, FaultPlan ordeal) throws Exception {
    judge(nodes(""), seed, ordeal);
  }

  private void judge(List<Options> nodes, long seed, FaultPlan ordeal) throws Exception {
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
        System.out.println(cluster.output());
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
   * Nodes whose clocks differ, so that a commit acknowledged by one is in another's future. Short
   * timeouts report undecided transactions soon.
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
