package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.internal.partition.replicated.PartitionReplica;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.log.Log;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;

/**
 * Closes replicas of a node. While the node runs, each replica is closed on its own thread, {@code
 * replica-closing-N}, so that one with a hanging disk delays nothing else. Each replica is closed
 * once. Thread-safe.
 */
final class ReplicaCloser {
  private static final Logger LOG = Log.of(ReplicaCloser.class);

  /** The time for which a close is awaited; a replica whose disk does not hang closes sooner. */
  private static final long TIMEOUT_MILLIS = 3_000;

  private final Map<Integer, FutureTask<Boolean>> tasks = new ConcurrentHashMap<>();

  /** Returns whether a replica of a partition is being closed. */
  boolean isClosing(int number) {
    return tasks.containsKey(number);
  }

  /**
   * Closes a replica, which stops voting. The first call waits a moment.
   *
   * @return whether it is closed; if not, the caller retries later
   * @throws RuntimeException if it could not be closed properly
   */
  boolean close(int number, PartitionReplica replica) {
    boolean isFirst = !isClosing(number);
    FutureTask<Boolean> closing = task(number, replica);
    if (isFirst) {
      start(number, closing);
    }
    // A replica whose disk hangs already is not waited for.
    boolean isWaitedFor = isFirst && replica.status().failure().isEmpty();
    try {
      return closing.get(isWaitedFor ? TIMEOUT_MILLIS : 0, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      if (isFirst) {
        LOG.warn(
            "the surplus replica of partition {} on this node can't be deleted yet: its disk seems"
                + " to hang",
            number);
      }
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      return Threads.result(closing);
    } finally {
      if (closing.isDone()) {
        tasks.remove(number, closing);
      }
    }
  }

  /** Starts the closing thread. If no thread can be started, a later call tries again. */
  private void start(int number, FutureTask<Boolean> closing) {
    try {
      Threads.daemon("replica-closing-" + number, closing).start();
    } catch (Error e) {
      tasks.remove(number, closing);
      throw e;
    }
  }

  /**
   * Closes a replica at the node's shutdown and waits until this or another thread has closed it.
   */
  void end(int number, PartitionReplica replica) {
    FutureTask<Boolean> closing = task(number, replica);
    // Does nothing if another thread runs it.
    closing.run();
    Threads.result(closing);
  }

  private FutureTask<Boolean> task(int number, PartitionReplica replica) {
    return tasks.computeIfAbsent(number, absent -> new FutureTask<>(replica::close, true));
  }
}
