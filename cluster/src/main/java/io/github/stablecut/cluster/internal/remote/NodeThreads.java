package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.internal.thread.BlockingPools;
import io.github.stablecut.log.Log;
import java.time.Duration;
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

/** The threads of a node; Akka's own threads never block. Thread-safe. */
public final class NodeThreads {
  private static final Logger LOG = Log.of(NodeThreads.class);
  private static final int QUEUE = 10_000;

  /** More than the {@link Bulkhead}s of a node admit, unless it owns very many partitions. */
  private static final int MAX_WAITING = 8_000;

  /** Two calls of each of two other nodes. */
  private static final int REGISTER_THREADS = 4;

  private static final int CORES = Runtime.getRuntime().availableProcessors();

  private final ExecutorService opening = pool("cluster-open", 1);
  private final ExecutorService handoffSend = pool("cluster-handoff-send", Math.max(8, 2 * CORES));
  private final ExecutorService handoffReceive = pool("cluster-handoff-receive", 1);
  private final ExecutorService reads =
      BlockingPools.pool("cluster-read-", Math.max(4, 2 * CORES), MAX_WAITING);
  private final ExecutorService writes =
      BlockingPools.pool("cluster-write-", Math.max(16, 4 * CORES), MAX_WAITING);
  private final ExecutorService objects = pool("cluster-object", ObjectCalls.threads());
  private final ExecutorService register = pool("cluster-register", REGISTER_THREADS);
  private final ExecutorService replies =
      pool("cluster-reply", Math.max(2, CORES), new ThreadPoolExecutor.CallerRunsPolicy());

  private NodeThreads() {}

  static NodeThreads start() {
    return new NodeThreads();
  }

  /** Opens the node's partitions, one after another. */
  public ExecutorService opening() {
    return opening;
  }

  /** Executes steps of outgoing handoffs: several at once, as one may wait for a checkpoint. */
  public ExecutorService handoffSend() {
    return handoffSend;
  }

  /** Executes steps of incoming handoffs, one after another. */
  public ExecutorService handoffReceive() {
    return handoffReceive;
  }

  /** Serves reads of other nodes; a blocked thread is replaced by another one. */
  public ExecutorService reads() {
    return reads;
  }

  /** Serves writes of other nodes, likewise; may wait for the disk. */
  public ExecutorService writes() {
    return writes;
  }

  /** Executes object operations for other nodes: user code, which nothing else waits for. */
  public ExecutorService objects() {
    return objects;
  }

  /** Answers calls of the configuration register, which wait for the disk. */
  public ExecutorService register() {
    return register;
  }

  /**
   * Completes this node's requests. Replies are never refused: if this executor falls far behind,
   * the thread that delivers a reply completes the request itself.
   */
  public ExecutorService replies() {
    return replies;
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

  /** Logs uncaught failures of its threads; another thread then continues. */
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
        LOG.error("a task of the node has failed", failure);
      }
    }
  }

  /**
   * Ends all threads once they have executed their tasks, and waits for those that change files.
   *
   * @return whether the threads that change files have ended
   */
  boolean close(Duration patience) {
    List.of(opening, handoffSend, handoffReceive, reads, writes, objects, register, replies)
        .forEach(ExecutorService::shutdown);
    long endNanos = System.nanoTime() + patience.toNanos();
    boolean haveEnded = true;
    for (ExecutorService pool : List.of(opening, handoffSend, handoffReceive)) {
      haveEnded &= awaitEnd(pool, endNanos);
    }
    return haveEnded;
  }

  /** Awaits the end of a pool. An interrupt does not end the wait, which has a deadline. */
  private static boolean awaitEnd(ExecutorService pool, long endNanos) {
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          return pool.awaitTermination(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          isInterrupted = true;
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
