package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.internal.partition.PartitionReplica;
import io.github.stablecut.internal.partition.ReplicaStatus;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ConfigurationRegister;
import io.github.stablecut.internal.replica.Replica;
import io.github.stablecut.log.Log;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;

/**
 * Has copies on other nodes lead instead of those here: one after the other, so that all others are
 * served meanwhile. Thread-safe.
 */
final class LeadershipHandover {
  private static final Logger LOG = Log.of(LeadershipHandover.class);

  /** So long the end of a node waits at most until others are about to lead what it has led. */
  private static final Duration HAND_OVER = Duration.ofSeconds(3);

  /** A follower that lacks fewer records has them in a moment. */
  private static final long NEARLY_ALL = 1_000;

  private final Map<Integer, PartitionReplica> replicas;
  private final NodeReplicas.Leading leading;
  private final ConfigurationRegister register;

  /**
   * @param replicas those of the node, of which there may be others later
   */
  LeadershipHandover(
      Map<Integer, PartitionReplica> replicas,
      NodeReplicas.Leading leading,
      ConfigurationRegister register) {
    this.replicas = replicas;
    this.leading = leading;
    this.register = register;
  }

  /**
   * As the node ends: all copies, which are closed then, and none begins to lead here any more, as
   * other nodes may end at the same time. What goes wrong with one does not matter to others.
   * Idempotent.
   */
  void handOver() {
    long end = System.nanoTime() + HAND_OVER.toNanos();
    replicas.forEach((number, replica) -> tryTo(number, replica::retire));
    handOver(end);
    // What was about to lead before.
    handOver(end);
  }

  private void handOver(long end) {
    replicas.forEach(
        (number, replica) -> {
          if (replica.status().failure().isPresent()) {
            // It leads nothing, or its disk hangs, for which nobody waits.
            return;
          }
          tryTo(number, () -> leading.drains(number, drain(end)));
          tryTo(number, () -> replica.handOver(left(end)));
        });
  }

  private static Duration left(long end) {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
  }

  private static Duration drain(long end) {
    Duration left = left(end);
    return left.compareTo(NodePartitions.DRAIN) < 0 ? left : NodePartitions.DRAIN;
  }

  private static void tryTo(int number, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.info("partition {} was closed: {}", number, e.toString());
    } catch (Error e) {
      LOG.error("partition {} was not handed over properly", number, e);
    }
  }

  /**
   * Those that the plan names first, if they have nearly everything and each node that is to have a
   * copy has one, until one is not taken over. Waits.
   */
  void evenOut(NodePlan plan) {
    for (Map.Entry<Integer, PartitionReplica> one : replicas.entrySet()) {
      String first = plan.replicas().get(one.getKey()).get(0);
      boolean isElsewhere =
          !first.equals(plan.name()) && mayGiveWay(one.getValue().status(), first);
      if (isElsewhere && !giveWay(one.getKey(), one.getValue(), first)) {
        LOG.warn(
            "partition {} was not taken over by node {}, so this node goes on to lead the others"
                + " that other nodes are to lead: give the order again",
            one.getKey(),
            first);
        return;
      }
    }
  }

  /**
   * Has another copy lead a partition, that on a node if it can. Waits.
   *
   * @return whether one does, or is about to
   */
  boolean giveWay(int number, PartitionReplica replica, String to) {
    try {
      // Without the register nobody could lead instead.
      var unused = ReplicaPlacement.await(register.read(number));
      // It has begun to end: it gives way whatever goes wrong with that.
      tryTo(number, () -> leading.drains(number, NodePartitions.DRAIN));
      return replica.giveWay(to, HAND_OVER);
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      LOG.info("partition {} does not give way: {}", number, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private static boolean mayGiveWay(ReplicaStatus status, String to) {
    return status.role() == Replica.Role.LEADING
        && status.failure().isEmpty()
        && status.isComplete()
        && status.followers().stream()
            .filter(one -> Configuration.nodeOf(one.replica()).equals(to) && one.isVoter())
            .anyMatch(one -> !one.isSilent() && !one.isFull() && one.behind() < NEARLY_ALL);
  }
}
