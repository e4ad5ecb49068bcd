package io.github.stablecut.cluster.internal.register;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs tasks after a delay, even if no thread can be started at first. Stateless. */
final class DeferredExecutor {
  private DeferredExecutor() {}

  /** Runs a task after a delay; if no thread can be started then, retries after the same delay. */
  static void execute(Runnable task, long millis, Executor executor) {
    execute(task, millis, executor, failure -> execute(task, millis, executor));
  }

  /**
   * Runs a task after a delay.
   *
   * @param millis the delay in milliseconds
   * @param executor runs the task
   * @param refused receives the reason if the executor rejects it, for example because no thread
   *     can be started
   */
  static void execute(Runnable task, long millis, Executor executor, Consumer<Throwable> refused) {
    // The timer's thread would swallow the executor's exception.
    CompletableFuture.delayedExecutor(
            millis,
            TimeUnit.MILLISECONDS,
            due -> {
              try {
                executor.execute(due);
              } catch (RuntimeException | Error e) {
                refused.accept(e);
              }
            })
        .execute(task);
  }
}
