package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.internal.thread.WaitingThreads;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a node beside Akka's, which never block.
 *
 * @param opening opens the node's partitions, one after the other
 * @param giving gives partitions to other nodes: several at once, as one may wait for a checkpoint
 * @param moving takes partitions from other nodes, one after the other
 * @param reads answers reads of other nodes; while one waits, another thread takes its place
 * @param writes answers writes of other nodes, likewise, and may wait for the disk
 * @param answers completes what this node has asked; if it falls far behind, whoever brings it more
 *     does that himself, as answers are never refused
 */
public record NodeThreads(
    ExecutorService opening,
    ExecutorService giving,
    ExecutorService moving,
    ExecutorService reads,
    ExecutorService writes,
    ExecutorService answers) {
  private static final Logger LOG = LoggerFactory.getLogger(NodeThreads.class);
  private static final int QUEUE = 10_000;

  /** More than the partitions of a node let wait ({@link Bulkhead}), unless they are very many. */
  private static final int MAX_WAITING = 8_000;

  static NodeThreads start() {
    int cores = Runtime.getRuntime().availableProcessors();
    return new NodeThreads(
        pool("cluster-open", 1),
        pool("cluster-handoff-send", Math.max(8, 2 * cores)),
        pool("cluster-handoff-receive", 1),
        WaitingThreads.pool("cluster-read-", Math.max(4, 2 * cores), MAX_WAITING),
        WaitingThreads.pool("cluster-write-", Math.max(16, 4 * cores), MAX_WAITING),
        pool("cluster-reply", Math.max(2, cores), new ThreadPoolExecutor.CallerRunsPolicy()));
  }

  private static ExecutorService pool(String name, int threads) {
    return pool(name, threads, new ThreadPoolExecutor.AbortPolicy());
  }

  private static ExecutorService pool(String name, int threads, RejectedExecutionHandler whenFull) {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor pool =
        new Pool(
            threads,
            task -> {
              Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            },
            whenFull);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Says what has failed on its threads that nobody has caught; another thread goes on then. */
  private static final class Pool extends ThreadPoolExecutor {
    Pool(int threads, ThreadFactory factory, RejectedExecutionHandler whenFull) {
      super(
          threads,
          threads,
          10,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(QUEUE),
          factory,
          whenFull);
    }

    @Override
    protected void afterExecute(Runnable task, @Nullable Throwable failure) {
      if (failure != null) {
        LOG.error("what a thread of the node did has failed", failure);
      }
    }
  }

  void close() {
    List.of(opening, giving, moving, reads, writes, answers).forEach(ExecutorService::shutdown);
  }
}
