package io.github.stablecut.internal.hook;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.CommittedUpdates;
import io.github.stablecut.Hooks;
import io.github.stablecut.PostCommitHook;
import io.github.stablecut.Snapshot;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.log.Log;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;

/**
 * Runs post-commit hooks asynchronously. A notification that fails, times out or finds the queue
 * full is counted and logged, and not retried. Thread-safe.
 */
final class PostCommitRunner implements AutoCloseable {
  private static final Logger LOG = Log.of(PostCommitRunner.class);

  private final Hooks hooks;
  private final ThreadPoolExecutor threads;
  private final ScheduledThreadPoolExecutor timer;
  private final LongAdder failures = new LongAdder();
  private final LongAdder timeouts = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final Set<Thread> runners = ConcurrentHashMap.newKeySet();

  /** The number of queued or running notifications. */
  @GuardedBy("this")
  private int unfinished;

  PostCommitRunner(Hooks hooks) {
    this.hooks = hooks;
    this.threads =
        HookThreads.start("hook-after", hooks.threads(), new ArrayBlockingQueue<>(hooks.queue()));
    this.timer = new ScheduledThreadPoolExecutor(1, task -> Threads.daemon("hook-timer", task));
    timer.setRemoveOnCancelPolicy(true);
  }

  /** Whether a hook is registered for an object's updates. */
  boolean concerns(Key<?> key) {
    return !hooks.postCommit().isEmpty() && hooks.postCommit().containsKey(key.bucket());
  }

  /**
   * Notifies hooks of a committed transaction.
   *
   * @param updates the updates that {@link #concerns} hooks, in order
   */
  void tell(Snapshot snapshot, List<Update> updates) {
    Map<Bytes, List<Update>> byBucket = new LinkedHashMap<>();
    for (Update update : updates) {
      byBucket.computeIfAbsent(update.key().bucket(), bucket -> new ArrayList<>()).add(update);
    }
    byBucket.forEach(
        (bucket, bucketUpdates) -> {
          CommittedUpdates committed = new CommittedUpdates(snapshot, bucketUpdates);
          hooks
              .postCommit()
              .getOrDefault(bucket, List.of())
              .forEach(hook -> submit(new Notification(bucket, hook, committed)));
        });
  }

  private void submit(Notification notification) {
    changeUnfinished(1);
    try {
      threads.execute(notification);
    } catch (RejectedExecutionException e) {
      changeUnfinished(-1);
      dropped.increment();
      LOG.warn(
          "A post-commit hook of bucket {} was not notified of {}: {} notifications are queued, or the store is"
              + " closing",
          notification.bucket,
          notification.committed.token(),
          threads.getQueue().size());
    }
  }

  private synchronized void changeUnfinished(int by) {
    unfinished += by;
    notifyAll();
  }

  private final class Notification implements Runnable {
    private final Bytes bucket;
    private final PostCommitHook hook;
    private final CommittedUpdates committed;

    @GuardedBy("this")
    private boolean ended;

    Notification(Bytes bucket, PostCommitHook hook, CommittedUpdates committed) {
      this.bucket = bucket;
      this.hook = hook;
      this.committed = committed;
    }

    @Override
    public void run() {
      Thread runner = Thread.currentThread();
      runners.add(runner);
      Future<?> timeoutTask =
          timer.schedule(() -> timeout(runner), hooks.timeout().toNanos(), TimeUnit.NANOSECONDS);
      try {
        hook.afterCommit(committed);
      } catch (Throwable e) {
        if (!hasEnded()) {
          failures.increment();
          LOG.warn("A post-commit hook of bucket {} failed for {}", bucket, committed.token(), e);
        }
      } finally {
        end();
        timeoutTask.cancel(false);
        runners.remove(runner);
        changeUnfinished(-1);
      }
    }

    private synchronized boolean hasEnded() {
      return ended;
    }

    /** Prevents later interrupts of the thread; the executor clears an earlier one. */
    private synchronized void end() {
      ended = true;
    }

    private synchronized void timeout(Thread runner) {
      if (!ended) {
        ended = true;
        timeouts.increment();
        LOG.warn(
            "A post-commit hook of bucket {} did not end within {} for {} and is interrupted",
            bucket,
            DurationWords.of(hooks.timeout()),
            committed.token());
        runner.interrupt();
      }
    }
  }

  /** The number of notifications that failed. */
  long failures() {
    return failures.sum();
  }

  /** The number of notifications that timed out. */
  long timeouts() {
    return timeouts.sum();
  }

  /** The number of notifications that were dropped. */
  long dropped() {
    return dropped.sum();
  }

  /**
   * Waits for queued notifications, at most for the timeout, and interrupts the rest. A hook that
   * closes the store waits for the others.
   */
  @Override
  public void close() {
    threads.shutdown();
    boolean isHook = runners.contains(Thread.currentThread());
    // If the closing hook holds the only thread, queued notifications can't run before it ends.
    if (!(isHook && hooks.threads() == 1) && !awaitFinished(isHook ? 1 : 0)) {
      LOG.warn("The store was closed while post-commit hooks were running or waiting");
    }
    HookThreads.stop(threads);
    timer.shutdownNow();
  }

  /**
   * Waits until at most this many notifications remain; returns false on a timeout. An interrupt
   * does not end the wait.
   */
  private synchronized boolean awaitFinished(int remaining) {
    long deadlineNanos = System.nanoTime() + hooks.timeout().toNanos();
    boolean interrupted = false;
    try {
      while (unfinished > remaining) {
        long nanos = deadlineNanos - System.nanoTime();
        if (nanos <= 0) {
          return false;
        }
        try {
          TimeUnit.NANOSECONDS.timedWait(this, nanos);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
