package io.github.stablecut.cluster.internal.handoff;

import io.github.stablecut.log.Log;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;

/**
 * Runs the steps of handoffs: steps of one partition in order, steps of different partitions
 * concurrently, so that a long checkpoint of one partition delays no other. Thread-safe.
 */
final class PartitionSteps {
  private static final Logger LOG = Log.of(PartitionSteps.class);

  private final Executor executor;

  /** The queued steps by partition; a partition has an entry while one of its steps runs. */
  private final Map<Integer, Queue<Runnable>> waiting = new HashMap<>();

  /**
   * @param executor has several threads
   */
  PartitionSteps(Executor executor) {
    this.executor = executor;
  }

  /**
   * Runs a step after the earlier steps of its partition.
   *
   * @throws RejectedExecutionException if the executor is full or closed
   */
  void execute(int partition, Runnable step) {
    synchronized (waiting) {
      Queue<Runnable> before = waiting.get(partition);
      if (before != null) {
        before.add(step);
        return;
      }
      waiting.put(partition, new ArrayDeque<>());
    }
    try {
      executor.execute(() -> run(partition, step));
    } catch (RejectedExecutionException e) {
      // Steps queued meanwhile are dropped with this one; their senders repeat the requests.
      synchronized (waiting) {
        waiting.remove(partition);
      }
      throw e;
    }
  }

  private void run(int partition, Runnable first) {
    Optional<Runnable> step = Optional.of(first);
    while (step.isPresent()) {
      try {
        step.get().run();
      } catch (RuntimeException | Error e) {
        LOG.error("a step of a move of partition {} failed", partition, e);
      }
      step = next(partition);
    }
  }

  private Optional<Runnable> next(int partition) {
    synchronized (waiting) {
      Optional<Runnable> next = Optional.ofNullable(waiting.get(partition)).map(Queue::poll);
      if (next.isEmpty()) {
        waiting.remove(partition);
      }
      return next;
    }
  }
}
