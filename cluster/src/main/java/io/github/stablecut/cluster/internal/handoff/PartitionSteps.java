package io.github.stablecut.cluster.internal.handoff;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps of moves: those of one partition run one after the other, and those of different partitions
 * beside each other, so that a partition whose checkpoint takes long keeps no other one waiting.
 * Thread-safe.
 */
final class PartitionSteps {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionSteps.class);

  private final Executor executor;

  /** The steps that wait for one of their partition; an entry is there while one runs. */
  private final Map<Integer, Queue<Runnable>> waiting = new HashMap<>();

  /**
   * @param executor of several threads
   */
  PartitionSteps(Executor executor) {
    this.executor = executor;
  }

  /**
   * Runs a step after those of its partition that were given before.
   *
   * @throws RejectedExecutionException if there is too much to do
   */
  void execute(int partition, Runnable step) {
    synchronized (waiting) {
      Queue<Runnable> before = waiting.get(partition);
      if (before != null) {
        before.add(step);
        return;
      }
      var unused = waiting.put(partition, new ArrayDeque<>());
    }
    try {
      executor.execute(() -> run(partition, step));
    } catch (RejectedExecutionException e) {
      // What has come meanwhile is lost as this step is: whoever asked for it asks again.
      synchronized (waiting) {
        var unused = waiting.remove(partition);
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
        LOG.error("a step of a move of partition {} has failed", partition, e);
      }
      step = next(partition);
    }
  }

  private Optional<Runnable> next(int partition) {
    synchronized (waiting) {
      Optional<Runnable> next = Optional.ofNullable(waiting.get(partition)).map(Queue::poll);
      if (next.isEmpty()) {
        var unused = waiting.remove(partition);
      }
      return next;
    }
  }
}
