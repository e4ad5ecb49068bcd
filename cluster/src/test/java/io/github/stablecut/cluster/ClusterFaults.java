package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.TestCluster.Said;
import io.github.stablecut.cluster.command.ClusterMove;
import io.github.stablecut.testing.history.HistoryRecorder;
import java.util.Random;

/**
 * Faults of cluster nodes under load. After each fault all nodes serve again. While a node is away,
 * clients continue with other objects, as in-doubt transactions block reads of the earlier ones.
 * Confined to one thread.
 */
final class ClusterFaults {
  /** Short enough for nobody to be lost, mostly. */
  private static final int SHORT_MILLIS = 1_500;

  /** So many transactions are acknowledged between faults, and after each. */
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

  /** What may be done to a node. */
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

  /** Does it while clients go on, waits until the cluster is whole, and has them go on. */
  void inflict(Fault fault, int node, Random random) throws Exception {
    load.awaitProgress(MANY);
    long begun = System.nanoTime();
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
        fault, node, (System.nanoTime() - begun) / 1_000_000, during, load.failed() - failedBefore);
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

  /** Until the others have lost it; then it goes on as if nothing had been. */
  private void stop(int node) throws Exception {
    whileStopped(node, () -> load.awaitProgress(SOME));
    cluster.awaitWhole();
    assertThat(cluster.node(node).isAlive()).isTrue();
    load.trust(node);
  }

  /** What is done while a node is stopped. */
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
      // Else those who wait for its answers would never end.
      cluster.node(node).signal("CONT");
    }
  }

  /** Until another one restarts, and the others have removed the stopped one for that. */
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
      int asked = other;
      if (other != node) {
        Eventually.holds(
            "the loss of n" + node + " is known", () -> !cluster.lost(asked).isEmpty());
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
    Said said = cluster.run(0, ClusterMove.command(), "" + partition, elsewhere(partition));
    assertThat(said.err()).isEmpty();
  }

  /** One of both that have to do with a move, or the third; it may fail or not. */
  private void killWhileMoving(int node, Random random) throws Exception {
    int partition = random.nextInt(partitions());
    String to = elsewhere(partition);
    int asked = (node + 1) % cluster.size();
    Thread mover =
        new Thread(
            () -> {
              Said said = cluster.run(asked, ClusterMove.command(), "" + partition, to);
              System.out.print(said.out() + said.err());
            });
    mover.start();
    // Copying takes about so long, and the switch.
    Thread.sleep(random.nextInt(400));
    cluster.node(node).kill();
    cluster.restart(node);
    mover.join();
  }
}
