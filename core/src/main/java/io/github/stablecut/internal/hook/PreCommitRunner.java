package io.github.stablecut.internal.hook;

import io.github.stablecut.Hooks;
import io.github.stablecut.PreCommitHook;
import io.github.stablecut.Snapshot;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.HookFailedException;
import io.github.stablecut.error.HookTimeoutException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Runs pre-commit hooks and waits for them until a timeout. A hook that continues after it keeps
 * its thread and nothing else. Thread-safe.
 */
final class PreCommitRunner implements AutoCloseable {
  /** The maximum nesting of calls, when hooks update objects that have hooks. */
  private static final int MAX_DEPTH = 16;

  private final Hooks hooks;
  private final ThreadPoolExecutor threads;
  private final LongAdder failures = new LongAdder();
  private final LongAdder timeouts = new LongAdder();

  /** The nesting depth of these hooks' calls on each thread; a thread without calls is absent. */
  private final Map<Thread, Integer> depths = new ConcurrentHashMap<>();

  PreCommitRunner(Hooks hooks) {
    this.hooks = hooks;
    this.threads = HookThreads.start("hook-before", hooks.threads(), new LinkedBlockingQueue<>());
  }

  /**
   * Returns the updates as rewritten by the hooks.
   *
   * @param snapshot the snapshot that the hooks may read
   * @throws HookFailedException if a hook refuses an update
   * @throws HookTimeoutException if they do not end in time
   */
  Update[] run(Update[] updates, Snapshot snapshot) {
    if (!concerns(updates)) {
      return updates;
    }
    if (depths.containsKey(Thread.currentThread())) {
      // A hook makes an update itself, which counts against the hook's time and thread.
      return rewriteNested(updates, snapshot);
    }
    CountDownLatch started = new CountDownLatch(1);
    FutureTask<Update[]> task =
        new FutureTask<>(
            () -> {
              started.countDown();
              return rewriteNested(updates, snapshot);
            });
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      throw closed();
    }
    return await(task, started, updates);
  }

  private static StoreClosedException closed() {
    return new StoreClosedException("the store is closed: open it again");
  }

  /** Whether a hook is registered for one of these updates. */
  boolean concerns(Update... updates) {
    for (Update update : updates) {
      if (!hooks.preCommit().isEmpty() && hooks.preCommit().containsKey(update.key().bucket())) {
        return true;
      }
    }
    return false;
  }

  private Update[] rewriteNested(Update[] updates, Snapshot snapshot) {
    int outer = depths.getOrDefault(Thread.currentThread(), 0);
    if (outer == MAX_DEPTH) {
      throw refused(
          updates[0].key(),
          "updated %s in %,d nested calls".formatted(updates[0].key(), MAX_DEPTH),
          new IllegalStateException("recursive hooks"));
    }
    depths.put(Thread.currentThread(), outer + 1);
    try {
      return rewrite(updates, snapshot);
    } finally {
      if (outer == 0) {
        depths.remove(Thread.currentThread());
      } else {
        depths.put(Thread.currentThread(), outer);
      }
    }
  }

  private Update[] rewrite(Update[] updates, Snapshot snapshot) {
    Update[] rewrite = updates.clone();
    for (int i = 0; i < updates.length; i++) {
      Key<?> key = updates[i].key();
      for (PreCommitHook hook : hooks.preCommit().getOrDefault(key.bucket(), List.of())) {
        Update before = rewrite[i];
        rewrite[i] = checked(key, () -> hook.beforeCommit(before, snapshot));
      }
    }
    return rewrite;
  }

  private static Update checked(Key<?> key, Callable<Update> hook) {
    @Nullable Update returned;
    try {
      returned = hook.call();
    } catch (HookFailedException e) {
      // Thrown by a nested update of the hook.
      throw e;
    } catch (Throwable e) {
      throw refused(key, "refused an update of %s: %s".formatted(key, reason(e)), e);
    }
    if (returned == null
        || !returned.key().id().equals(key.id())
        || !returned.key().type().equals(key.type())) {
      throw refused(
          key,
          "must return an update of %s and returned %s".formatted(key, returned),
          new IllegalStateException("not an update of the same object"));
    }
    return returned;
  }

  private static String reason(Throwable thrown) {
    String message = thrown.getMessage();
    return message == null ? thrown.toString() : message;
  }

  private static HookFailedException refused(Key<?> key, String what, Throwable cause) {
    return new HookFailedException(
        "a pre-commit hook of bucket %s %s: the transaction is aborted and nothing was changed; change the update, or the hook"
            .formatted(key.bucket(), what),
        cause);
  }

  /** Waits for the task. An interrupt does not end the wait; its flag stays set. */
  private Update[] await(FutureTask<Update[]> task, CountDownLatch started, Update[] updates) {
    boolean interrupted = false;
    long deadlineNanos = System.nanoTime() + hooks.timeout().toNanos();
    try {
      while (true) {
        try {
          return task.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (TimeoutException e) {
          throw timeout(task, started, updates);
        } catch (ExecutionException e) {
          throw failure(e.getCause());
        } catch (CancellationException e) {
          throw closed();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private RuntimeException failure(@Nullable Throwable cause) {
    failures.increment();
    if (cause instanceof HookFailedException failed) {
      return failed;
    }
    throw new IllegalStateException("hooks can't be run: " + cause, cause);
  }

  private HookTimeoutException timeout(
      FutureTask<Update[]> task, CountDownLatch started, Update[] updates) {
    timeouts.increment();
    boolean hasBegun = started.getCount() == 0;
    task.cancel(true);
    threads.remove(task);
    return new HookTimeoutException(
        "%s within %s for %s: the transaction is aborted and nothing was changed; retry, or check the hooks' duration, threads (%,d) and timeout"
            .formatted(
                hasBegun ? "pre-commit hooks did not end" : "pre-commit hooks found no free thread",
                DurationWords.of(hooks.timeout()),
                updates[0].key(),
                hooks.threads()));
  }

  /** The number of calls that hooks have refused. */
  long failures() {
    return failures.sum();
  }

  /** The number of calls that timed out. */
  long timeouts() {
    return timeouts.sum();
  }

  /** Interrupts running hooks. */
  @Override
  public void close() {
    HookThreads.stop(threads);
  }
}
