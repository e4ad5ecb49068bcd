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
 * Who has the partitions that began anew when the nodes were forgotten that had them, as this node
 * has heard. Durable, on another thread: a forgotten node that comes back is refused by any of the
 * others, also once all were restarted and while the one is away that has the partition now.
 * Thread-safe.
 */
public final class ResetOwners {
  /**
   * A partition that begins anew gets an epoch so far above: more than a directory has openings.
   */
  public static final long EPOCHS = 1L << 20;

  private static final Logger LOG = Log.of(ResetOwners.class);

  private final NodeDirectory directory;
  private final Executor executor;
  private final Consumer<MoveMark> recorded;

  /** The newest epochs that were heard and are recorded, or about to be, by partition. */
  private final Map<Integer, Long> newest = new ConcurrentHashMap<>();

  /**
   * @param executor of one thread
   * @param recorded is told of what was recorded
   */
  ResetOwners(NodeDirectory directory, Executor executor, Consumer<MoveMark> recorded) {
    this.directory = directory;
    this.executor = executor;
    this.recorded = recorded;
  }

  /** Another node has told who has partitions that exist once. What can't be written is again. */
  void heard(String node, List<GossipedNodeState.Ownership> owned) {
    for (GossipedNodeState.Ownership own : owned) {
      boolean isAnew = own.epoch() >= EPOCHS && own.node().equals(node);
      if (isAnew && own.epoch() > newest.getOrDefault(own.partition(), 0L)) {
        record(new MoveMark(0, own.partition(), node, own.epoch()));
      }
    }
  }

  private void record(MoveMark mark) {
    var unused = newest.put(mark.number(), mark.epoch());
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
          "that node {} has partition {}, which began anew, can't be recorded, and is tried again:"
              + " {}",
          mark.node(),
          mark.number(),
          e.toString());
      boolean unused = newest.remove(mark.number(), mark.epoch());
    }
  }
}
