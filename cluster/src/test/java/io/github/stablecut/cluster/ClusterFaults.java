package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.TestCluster.CommandResult;
import io.github.stablecut.cluster.command.cluster.ClusterMove;
import io.github.stablecut.testing.history.HistoryRecorder;
import java.util.Random;

/**
 * Injects faults into cluster nodes under load. After each fault all nodes serve again. While a
 * node is unavailable, clients continue with other objects, as in-doubt transactions block reads of
 * the earlier ones. Confined to one thread.
 */
final class ClusterFaults {
  /** Mostly too short for a node to be considered lost. */
  private static final int SHORT_MILLIS = 1_500;

  /** The number of transactions to be acknowledged between faults, and after each. */
  private static final int MANY = 150;

  private static final int SOME = 30;

  private final TestCluster cluster;
  private final HistoryLoad load;
  private final HistoryRecorder recorder;

  ClusterFaults(TestCluster cluster, HistoryLoad load, HistoryRecorder recorder) {
    this.cluster = cluster;
    this.load = load;
    this.recorder = recorder;
  }

  /** The faults of a node. */
  enum Fault {
    KILL,
    STOP,
    STOP_SHORTLY,
    REMOVE,
    CUT,
    CUT_SHORTLY,
    MOVE,
    KILL_WHILE_MOVING,
    RESTART
  }

  /**
   * Injects a fault while clients continue, waits until the cluster has recovered, and waits for
   * progress.
   */
  void inflict(Fault fault, int node, Random random) throws Exception {
    load.awaitProgress(MANY);
    long startNanos = System.nanoTime();
    long before = load.acknowledged();
    long failedBefore = load.failed();
    recorder.note("%s n%d".formatted(fault, node));
    switch (fault) {
      case KILL -> kill(node);
      case STOP -> stop(node);
      case REMOVE -> remove(node);
      case STOP_SHORTLY -> stopShortly(node, random);
      case CUT -> cut(node);
      case CUT_SHORTLY -> cutShortly(node, random);
      case MOVE -> move(random.nextInt(partitions()));
      case KILL_WHILE_MOVING -> killWhileMoving(node, random);
      case RESTART -> {
        assertThat(cluster.node(node).terminate()).isZero();
        cluster.restart(node);
      }
    }
    long during = load.acknowledged() - before;
    cluster.awaitWhole();
    recorder.note("%s n%d is over".formatted(fault, node));
    System.out.printf(
        "%s n%d: in %,d ms %,d transactions were acknowledged meanwhile, %,d failed%n",
        fault,
        node,
        (System.nanoTime() - startNanos) / 1_000_000,
        during,
        load.failed() - failedBefore);
    load.awaitProgress(SOME);
    load.nextRound();
  }

  private int partitions() throws Exception {
    return cluster.owners(0).size();
  }

  private void kill(int node) throws Exception {
    cluster.node(node).kill();
    load.nextRound();
    load.awaitProgress(SOME);
    cluster.restart(node);
  }

  /**
   * Stops a node until the others consider it lost; then it continues as if nothing had happened.
   */
  private void stop(int node) throws Exception {
    whileStopped(node, () -> load.awaitProgress(SOME));
    cluster.awaitWhole();
    assertThat(cluster.node(node).isAlive()).isTrue();
    load.trust(node);
  }

  /** An action during the stop of a node. */
  @FunctionalInterface
  private interface Meanwhile {
    void happens() throws Exception;
  }

  private void whileStopped(int node, Meanwhile meanwhile) throws Exception {
    load.avoid(node);
    cluster.node(node).signal("STOP");
    load.nextRound();
    try {
      awaitLoss(node);
      meanwhile.happens();
    } finally {
      // Otherwise threads that wait for its answers would never end.
      cluster.node(node).signal("CONT");
    }
  }

  /** Stops a node until another one restarts, for which the others remove the stopped one. */
  private void remove(int node) throws Exception {
    int other = (node + 1) % cluster.size();
    whileStopped(
        node,
        () -> {
          assertThat(cluster.node(other).terminate()).isZero();
          cluster.restart(other);
        });
    assertThat(cluster.node(node).exitCode()).isEqualTo(1);
    cluster.restart(node);
    load.trust(node);
  }

  private void stopShortly(int node, Random random) throws Exception {
    load.avoid(node);
    cluster.node(node).signal("STOP");
    Thread.sleep(random.nextInt(SHORT_MILLIS));
    cluster.node(node).signal("CONT");
    load.trust(node);
  }

  private void cut(int node) throws Exception {
    cluster.cutOff(node);
    load.nextRound();
    awaitLoss(node);
    load.awaitProgress(SOME);
    cluster.mend();
    cluster.awaitWhole();
    assertThat(cluster.node(node).isAlive()).isTrue();
  }

  private void awaitLoss(int node) throws Exception {
    for (int other = 0; other < cluster.size(); other++) {
      int number = other;
      if (other != node) {
        Eventually.holds(
            "the loss of n" + node + " is known", () -> !cluster.lost(number).isEmpty());
      }
    }
  }

  private void cutShortly(int node, Random random) throws Exception {
    cluster.cutOff(node);
    Thread.sleep(random.nextInt(SHORT_MILLIS));
    cluster.mend();
  }

  private String elsewhere(int partition) throws Exception {
    int owner = Integer.parseInt(cluster.owners(0).get(partition).substring(1));
    return "n" + (owner + 1) % cluster.size();
  }

  private void move(int partition) throws Exception {
    CommandResult result =
        cluster.run(0, ClusterMove.command(), "" + partition, elsewhere(partition));
    assertThat(result.err()).isEmpty();
  }

  /**
   * Kills the sender or the receiver of a move, or the third node. The move may fail or succeed.
   */
  private void killWhileMoving(int node, Random random) throws Exception {
    int partition = random.nextInt(partitions());
    String to = elsewhere(partition);
    int number = (node + 1) % cluster.size();
    Thread mover =
        new Thread(
            () -> {
              CommandResult result = cluster.run(number, ClusterMove.command(), "" + partition, to);
              System.out.print(result.out() + result.err());
            });
    mover.start();
    // The approximate duration of copying and the switch.
    Thread.sleep(random.nextInt(400));
    cluster.node(node).kill();
    cluster.restart(node);
    mover.join();
  }
}
