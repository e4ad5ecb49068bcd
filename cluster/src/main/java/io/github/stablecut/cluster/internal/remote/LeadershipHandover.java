package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.internal.partition.replicated.PartitionReplica;
import io.github.stablecut.internal.partition.replicated.ReplicaStatus;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ConfigurationRegister;
import io.github.stablecut.internal.replica.Replica;
import io.github.stablecut.log.Log;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;

/**
 * Transfers leadership from this node's replicas to replicas on other nodes, one partition after
 * another, so that all other partitions are served meanwhile. Thread-safe.
 */
final class LeadershipHandover {
  private static final Logger LOG = Log.of(LeadershipHandover.class);

  /**
   * The maximum time for which a node's shutdown waits until others are about to lead its
   * partitions.
   */
  private static final Duration HAND_OVER = Duration.ofSeconds(3);

  /** A follower that lacks fewer records than this catches up in a moment. */
  private static final long NEARLY_ALL = 1_000;

  private final Map<Integer, PartitionReplica> replicas;
  private final NodeReplicas.LeadershipListener leading;
  private final ConfigurationRegister register;
  private final LeaderBalance balance = new LeaderBalance(System::nanoTime);

  /**
   * @param replicas the node's replicas; others may be added later
   */
  LeadershipHandover(
      Map<Integer, PartitionReplica> replicas,
      NodeReplicas.LeadershipListener leading,
      ConfigurationRegister register) {
    this.replicas = replicas;
    this.leading = leading;
    this.register = register;
  }

  /**
   * Transfers leadership of all partitions at shutdown. The replicas are closed afterwards, and
   * none begins to lead, as other nodes may shut down at the same time. A failure of one replica
   * does not affect the others. Idempotent.
   */
  void handOver() {
    long endNanos = System.nanoTime() + HAND_OVER.toNanos();
    replicas.forEach((number, replica) -> tryTo(number, replica::retire));
    handOver(endNanos);
    // Replicas that were about to lead before this call.
    handOver(endNanos);
  }

  private void handOver(long endNanos) {
    replicas.forEach(
        (number, replica) -> {
          if (replica.status().failure().isPresent()) {
            // The replica does not lead, or its disk hangs; nobody waits for a hanging disk.
            return;
          }
          tryTo(number, () -> leading.drains(number, drain(endNanos)));
          tryTo(number, () -> replica.handOver(left(endNanos)));
        });
  }

  private static Duration left(long endNanos) {
    return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
  }

  private static Duration drain(long endNanos) {
    Duration left = left(endNanos);
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
   * Transfers leadership to the replicas that the plan names first, if they are nearly up-to-date
   * and each node that is to have a replica has one. Stops at the first transfer that fails. Waits.
   */
  void evenOut(NodePlan plan) {
    for (Map.Entry<Integer, String> one : misplaced(plan).entrySet()) {
      if (!giveWay(one.getKey(), one.getValue())) {
        LOG.warn(
            "node {} did not take over partition {}, so this node keeps the others that it should"
                + " hand over: repeat the command",
            one.getValue(),
            one.getKey());
        return;
      }
    }
  }

  /**
   * Transfers leadership of at most one such partition, once that is due without a command. Waits.
   */
  void balance(NodePlan plan) {
    Map<Integer, String> misplaced = misplaced(plan);
    balance
        .takeDue(misplaced.keySet())
        .ifPresent(
            number -> {
              String to = Objects.requireNonNull(misplaced.get(number));
              LOG.info("hands partition {} over to node {}, its preferred leader", number, to);
              giveWay(number, to);
            });
  }

  /**
   * Returns the partitions led here that their preferred leaders on other nodes could lead, with
   * the names of these nodes.
   */
  private Map<Integer, String> misplaced(NodePlan plan) {
    Map<Integer, String> misplaced = new TreeMap<>();
    replicas.forEach(
        (number, replica) -> {
          String first = plan.replicas().get(number).get(0);
          if (!first.equals(plan.name()) && mayGiveWay(replica.status(), first)) {
            misplaced.put(number, first);
          }
        });
    return misplaced;
  }

  @CanIgnoreReturnValue
  private boolean giveWay(int number, String to) {
    PartitionReplica replica = replicas.get(number);
    return replica != null && giveWay(number, replica, to);
  }

  /**
   * Transfers leadership of a partition to another replica, preferably the one on a given node.
   * Waits.
   *
   * @return whether another replica leads, or is about to
   */
  @CanIgnoreReturnValue
  boolean giveWay(int number, PartitionReplica replica, String to) {
    try {
      // Without the configuration register, no other replica could lead.
      ReplicaPlacement.await(register.read(number));
      // The replica has begun to drain: it transfers leadership even if draining fails.
      tryTo(number, () -> leading.drains(number, NodePartitions.DRAIN));
      return replica.giveWay(to, HAND_OVER);
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      LOG.info("partition {} does not hand over: {}", number, e.toString());
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
