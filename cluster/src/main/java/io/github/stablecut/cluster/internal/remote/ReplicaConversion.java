package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.register.RatisRegister;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.log.Log;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;

/**
 * Converts this node's unreplicated partitions to replicas that lead. Confined to one thread at a
 * time.
 *
 * <p>Invariants: a partition is open either unreplicated or as a replica, never both. It becomes a
 * replica on the node that owns it. That node enters itself in the configuration register as the
 * only voter, in an epoch above all that the partition had. No other node can enter itself, so the
 * first configuration is right wherever a move has left the partition. The node's promises and its
 * part of the register are on disk before the plan that introduces replicas. From then on, a
 * restart opens replicas.
 */
final class ReplicaConversion {
  private static final Logger LOG = Log.of(ReplicaConversion.class);

  /** The time to wait for the configuration register. */
  private static final long PATIENCE_SECONDS = 8;

  private final NodeDirectory directory;
  private final RequestServer server;
  private final LocalReplicas.PartitionService serving;
  private volatile boolean isDone;
  private boolean mayHaveBegun;

  ReplicaConversion(
      NodeDirectory directory, RequestServer server, LocalReplicas.PartitionService serving) {
    this.directory = directory;
    this.server = server;
    this.serving = serving;
  }

  /** Returns why a node with such options can't have replicas; empty if it can. */
  static Optional<String> refusal(StoreOptions options) {
    return options
        .replication()
        .map(
            replication ->
                "a cluster with replicas can't replicate with other data centres yet: start the"
                    + " node without replication.listen");
  }

  /**
   * Durably records that there are replicas from now on. No partition is moved meanwhile.
   *
   * @param newPlan the node's plan with a configuration register
   * @return whether that is recorded; if not, the caller retries
   */
  boolean begin(NodePlan newPlan) {
    long highest = server.all().stream().mapToLong(OpenPartition::epoch).max().orElse(0);
    if (highest > newPlan.epochsAfter()) {
      LOG.error(
          "node {} has a partition open at epoch {}, above {}, so it can't get replicas: report"
              + " this",
          newPlan.name(),
          highest,
          newPlan.epochsAfter());
      return false;
    }
    try {
      directory.beginReplicas(newPlan, RatisRegister.BEGINS);
      return true;
    } catch (StoreIoException e) {
      // Not all promises are written, and the plan is written only after them.
      LOG.warn(
          "node {} can't record that its partitions get replicas, and retries: {}",
          newPlan.name(),
          e.getMessage());
      return false;
    } catch (IOException e) {
      mayHaveBegun = true;
      LOG.warn(
          "node {} can't record that its partitions get replicas, and retries: {}",
          newPlan.name(),
          IoReason.of(e));
      return false;
    }
  }

  /** Returns whether {@link #begin} has failed and left the state on disk unknown. */
  boolean mayHaveBegun() {
    return mayHaveBegun;
  }

  /** Returns whether all partitions of this node are replicas: it serves none unreplicated. */
  boolean isDone() {
    return isDone;
  }

  /**
   * Converts the directory's remaining unreplicated partitions to replicas, one after another; each
   * accepts nothing while it is closed and opened. If the configuration register does not answer,
   * they stay as they are, and the caller retries. It also retries after a failure; until then, a
   * partition that was closed is not served. Requires that no partition is being moved, and that
   * all were opened.
   */
  void handOver(NodeReplicas replicas) {
    try {
      for (int number : replicas.closed()) {
        Configuration known =
            replicas
                .register()
                .read(number)
                .toCompletableFuture()
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        LOG.info("partition {} becomes a replica and leads, after {}", number, known);
        serving.open(() -> handOver(number, replicas));
      }
      isDone = replicas.closed().isEmpty();
    } catch (ExecutionException | TimeoutException e) {
      LOG.info(
          "the configuration register does not answer, so partitions do not become replicas yet:"
              + " {}",
          e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOG.warn(
          "can't read which partitions must still become replicas; retrying: {}", IoReason.of(e));
    } catch (RuntimeException e) {
      LOG.error("a partition was not closed properly before it became a replica", e);
    }
  }

  private void handOver(int number, NodeReplicas replicas) {
    try {
      server.find(number).ifPresent(serving::end);
    } finally {
      // Also after a failure of the journal, which is then reread; not while the partition is
      // served.
      if (server.find(number).isEmpty()) {
        replicas.open(number);
      }
    }
  }
}
