package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.internal.partition.PartitionReplica;
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
 * The copies that a node closes. While it goes on, a thread of its own, {@code replica-closing-N},
 * closes each: one whose disk hangs holds up nothing else. Each is closed once. Thread-safe.
 */
final class ReplicaCloser {
  private static final Logger LOG = Log.of(ReplicaCloser.class);

  /** A copy whose disk does not hang is closed sooner. */
  private static final long PATIENCE_MILLIS = 3_000;

  private final Map<Integer, FutureTask<Boolean>> begun = new ConcurrentHashMap<>();

  /** Whether a copy of a partition is being closed. */
  boolean has(int number) {
    return begun.containsKey(number);
  }

  /**
   * Closes a copy, which votes no more. Waits a moment, the first time.
   *
   * @return whether it is closed; if not, the caller calls again, later
   * @throws RuntimeException if it could not be closed properly
   */
  boolean close(int number, PartitionReplica replica) {
    boolean isFirst = !has(number);
    FutureTask<Boolean> closing = task(number, replica);
    if (isFirst) {
      start(number, closing);
    }
    // One that hangs already is not waited for.
    boolean isWaitedFor = isFirst && replica.status().failure().isEmpty();
    try {
      return closing.get(isWaitedFor ? PATIENCE_MILLIS : 0, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      if (isFirst) {
        LOG.warn(
            "the replica of partition {}, which is too many on this node, waits for its disk, which"
                + " seems to hang, before it is deleted",
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
        boolean unused = begun.remove(number, closing);
      }
    }
  }

  /** If no thread can be started, it is begun another time. */
  private void start(int number, FutureTask<Boolean> closing) {
    try {
      Threads.daemon("replica-closing-" + number, closing).start();
    } catch (Error e) {
      boolean unused = begun.remove(number, closing);
      throw e;
    }
  }

  /** Closes a copy as the node ends, and waits until it is closed, by whomever. */
  void end(int number, PartitionReplica replica) {
    FutureTask<Boolean> closing = task(number, replica);
    // Does nothing if another thread does.
    closing.run();
    var unused = Threads.result(closing);
  }

  private FutureTask<Boolean> task(int number, PartitionReplica replica) {
    return begun.computeIfAbsent(number, absent -> new FutureTask<>(replica::close, true));
  }
}
