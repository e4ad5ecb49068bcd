package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.internal.recovery.MoveMark;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;

/**
 * The owners of partitions that were reset when their nodes were forgotten, as far as this node
 * knows. Another thread makes them durable. Any other node therefore refuses a forgotten node that
 * returns, even after all were restarted and while the new owner is away. Thread-safe.
 */
public final class ResetOwners {
  /**
   * The number by which a reset raises a partition's epoch: more than the number of openings of any
   * directory.
   */
  public static final long EPOCHS = 1L << 20;

  private static final Logger LOG = Log.of(ResetOwners.class);

  private final NodeDirectory directory;
  private final Executor executor;
  private final Consumer<MoveMark> recorded;

  /** The newest known epochs, recorded or about to be, by partition. */
  private final Map<Integer, Long> newest = new ConcurrentHashMap<>();

  /**
   * @param executor has one thread
   * @param recorded receives each recorded mark
   */
  ResetOwners(NodeDirectory directory, Executor executor, Consumer<MoveMark> recorded) {
    this.directory = directory;
    this.executor = executor;
    this.recorded = recorded;
  }

  /**
   * Merges the ownership of unreplicated partitions that another node reports. A failed write is
   * retried at the next report.
   */
  void heard(String node, List<GossipedNodeState.Ownership> owned) {
    for (GossipedNodeState.Ownership own : owned) {
      boolean isAnew = own.epoch() >= EPOCHS && own.node().equals(node);
      if (isAnew && own.epoch() > newest.getOrDefault(own.partition(), 0L)) {
        record(new MoveMark(0, own.partition(), node, own.epoch()));
      }
    }
  }

  private void record(MoveMark mark) {
    newest.put(mark.number(), mark.epoch());
    try {
      executor.execute(() -> write(mark));
    } catch (RejectedExecutionException e) {
      // The node is being closed.
    }
  }

  private void write(MoveMark mark) {
    try {
      if (directory.moved().remember(mark)) {
        recorded.accept(mark);
      }
    } catch (IOException | CorruptStoreException e) {
      LOG.warn(
          "can't record that node {} has partition {}, which was reset; retrying:" + " {}",
          mark.node(),
          mark.number(),
          e.toString());
      newest.remove(mark.number(), mark.epoch());
    }
  }
}
