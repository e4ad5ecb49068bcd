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
 * Runs pre-commit hooks and waits for them, for so long. One that goes on all the same keeps its
 * thread and nothing else. Thread-safe.
 */
final class PreCommitRunner implements AutoCloseable {
  /** So many calls may be in each other, because hooks update what has hooks. */
  private static final int MAX_DEPTH = 16;

  private final Hooks hooks;
  private final ThreadPoolExecutor threads;
  private final LongAdder failures = new LongAdder();
  private final LongAdder timeouts = new LongAdder();

  /** How many calls of these hooks are in each other on a thread; none is not there. */
  private final Map<Thread, Integer> depths = new ConcurrentHashMap<>();

  PreCommitRunner(Hooks hooks) {
    this.hooks = hooks;
    this.threads = HookThreads.start("hook-before", hooks.threads(), new LinkedBlockingQueue<>());
  }

  /**
   * What the hooks make of updates.
   *
   * @param snapshot what the hooks may read
   * @throws HookFailedException if one refuses
   * @throws HookTimeoutException if they take too long
   */
  Update[] run(Update[] updates, Snapshot snapshot) {
    if (!concerns(updates)) {
      return updates;
    }
    if (depths.containsKey(Thread.currentThread())) {
      // A hook has updated something itself: its own time and thread are for that, too.
      return rewrittenInside(updates, snapshot);
    }
    CountDownLatch begun = new CountDownLatch(1);
    FutureTask<Update[]> task =
        new FutureTask<>(
            () -> {
              begun.countDown();
              return rewrittenInside(updates, snapshot);
            });
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      throw closed();
    }
    return await(task, begun, updates);
  }

  private static StoreClosedException closed() {
    return new StoreClosedException("the store is closed: open it again");
  }

  /** Whether a hook is asked about one of some updates. */
  boolean concerns(Update... updates) {
    for (Update update : updates) {
      if (!hooks.preCommit().isEmpty() && hooks.preCommit().containsKey(update.key().bucket())) {
        return true;
      }
    }
    return false;
  }

  private Update[] rewrittenInside(Update[] updates, Snapshot snapshot) {
    int outer = depths.getOrDefault(Thread.currentThread(), 0);
    if (outer == MAX_DEPTH) {
      throw refused(
          updates[0].key(),
          "has updated %s %,d times, each in the call for the update before"
              .formatted(updates[0].key(), MAX_DEPTH),
          new IllegalStateException("hooks that call themselves"));
    }
    var unused = depths.put(Thread.currentThread(), outer + 1);
    try {
      return rewritten(updates, snapshot);
    } finally {
      var unusedToo =
          outer == 0
              ? depths.remove(Thread.currentThread())
              : depths.put(Thread.currentThread(), outer);
    }
  }

  private Update[] rewritten(Update[] updates, Snapshot snapshot) {
    Update[] rewritten = updates.clone();
    for (int i = 0; i < updates.length; i++) {
      Key<?> key = updates[i].key();
      for (PreCommitHook hook : hooks.preCommit().getOrDefault(key.bucket(), List.of())) {
        Update before = rewritten[i];
        rewritten[i] = checked(key, () -> hook.beforeCommit(before, snapshot));
      }
    }
    return rewritten;
  }

  private static Update checked(Key<?> key, Callable<Update> hook) {
    @Nullable Update made;
    try {
      made = hook.call();
    } catch (HookFailedException e) {
      // Of an update that the hook has tried.
      throw e;
    } catch (Throwable e) {
      throw refused(key, "has refused an update of %s: %s".formatted(key, reason(e)), e);
    }
    if (made == null
        || !made.key().id().equals(key.id())
        || !made.key().type().equals(key.type())) {
      throw refused(
          key,
          "was to return an update of %s, and has returned %s".formatted(key, made),
          new IllegalStateException("not an update of the same object"));
    }
    return made;
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

  /** Waits, whether or not the thread is interrupted; its flag stays set. */
  private Update[] await(FutureTask<Update[]> task, CountDownLatch begun, Update[] updates) {
    boolean interrupted = false;
    long deadline = System.nanoTime() + hooks.timeout().toNanos();
    try {
      while (true) {
        try {
          return task.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (TimeoutException e) {
          throw timeout(task, begun, updates);
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
      FutureTask<Update[]> task, CountDownLatch begun, Update[] updates) {
    timeouts.increment();
    boolean hasBegun = begun.getCount() == 0;
    var unusedCancelled = task.cancel(true);
    var unusedRemoved = threads.remove(task);
    return new HookTimeoutException(
        "%s within %s for %s: the transaction is aborted and nothing was changed; try again, or look at the hooks' time, threads (%,d) and timeout"
            .formatted(
                hasBegun ? "pre-commit hooks did not end" : "pre-commit hooks found no free thread",
                DurationWords.of(hooks.timeout()),
                updates[0].key(),
                hooks.threads()));
  }

  /** How many calls hooks have refused. */
  long failures() {
    return failures.sum();
  }

  /** How many calls hooks took too long for. */
  long timeouts() {
    return timeouts.sum();
  }

  /** Interrupts what still runs. */
  @Override
  public void close() {
    HookThreads.stop(threads);
  }
}
