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
 * How the partitions of this node, which exist once, become copies that lead. Confined to one
 * thread at a time.
 *
 * <p>Invariants: a partition is open as one that exists once, or as a copy, never both. It becomes
 * a copy on the node that owns it, which enters itself in the register as the only voter, in an
 * epoch above all that the partition had: nobody else can, so its first layout is right wherever a
 * move has left it. What the node has promised, and its part of the register, are on disk before
 * the plan that says that there are copies; from then on a restart opens copies.
 */
final class ReplicaConversion {
  private static final Logger LOG = Log.of(ReplicaConversion.class);

  /** So long the register is waited for. */
  private static final long PATIENCE_SECONDS = 8;

  private final NodeDirectory directory;
  private final RequestServer server;
  private final LocalReplicas.Serving serving;
  private volatile boolean isDone;
  private boolean mayHaveBegun;

  ReplicaConversion(NodeDirectory directory, RequestServer server, LocalReplicas.Serving serving) {
    this.directory = directory;
    this.server = server;
    this.serving = serving;
  }

  /** Why a node with such options can't have copies of partitions; empty if it can. */
  static Optional<String> refusal(StoreOptions options) {
    return options
        .replication()
        .map(
            replication ->
                "the cluster has replicas of its partitions, and can't be a data centre among"
                    + " others yet: start the node without replication.listen");
  }

  /**
   * Durably notes that there are copies from now on. No partition is moved meanwhile.
   *
   * @param begun the node's plan with a register
   * @return whether that is done; if not, the caller calls again
   */
  boolean begin(NodePlan begun) {
    long highest = server.all().stream().mapToLong(OpenPartition::epoch).max().orElse(0);
    if (highest > begun.epochsAfter()) {
      LOG.error(
          "node {} has a partition open at epoch {}, above {}, so it can't get replicas: report this",
          begun.name(),
          highest,
          begun.epochsAfter());
      return false;
    }
    try {
      directory.beginReplicas(begun, RatisRegister.BEGINS);
      return true;
    } catch (StoreIoException e) {
      // It has not promised it all, and the plan comes after that.
      LOG.warn(
          "node {} can't note that its partitions get replicas, and retries: {}",
          begun.name(),
          e.getMessage());
      return false;
    } catch (IOException e) {
      mayHaveBegun = true;
      LOG.warn(
          "node {} can't note that its partitions get replicas, and retries: {}",
          begun.name(),
          IoReason.of(e));
      return false;
    }
  }

  /** Whether {@link #begin} has failed so that nobody knows what is on disk. */
  boolean mayHaveBegun() {
    return mayHaveBegun;
  }

  /** Whether all partitions of this node are copies: it has none that is served otherwise. */
  boolean isDone() {
    return isDone;
  }

  /**
   * Makes a copy of each partition of the directory that is none yet, one after the other: each
   * takes nothing for as long as it takes to close and open it. If the register does not answer
   * they stay as they are, and the caller calls again, as it does after a failure: one that was
   * closed then is served by nobody. No partition is moved, and all were opened.
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
        LOG.info("partition {} becomes a replica that leads, after {}", number, known);
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
          "which partitions have still to become replicas can't be read, which is retried: {}",
          IoReason.of(e));
    } catch (RuntimeException e) {
      LOG.error("a partition was not closed properly before it became a replica", e);
    }
  }

  private void handOver(int number, NodeReplicas replicas) {
    try {
      server.find(number).ifPresent(serving::end);
    } finally {
      // Also after a failure of the journal, which is read anew; not while it is served.
      if (server.find(number).isEmpty()) {
        replicas.open(number);
      }
    }
  }
}
