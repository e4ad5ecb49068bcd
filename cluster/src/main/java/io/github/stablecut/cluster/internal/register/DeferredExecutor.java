package io.github.stablecut.cluster.internal.register;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What is done later, also if no thread can be started for it at first. */
final class DeferredExecutor {
  private DeferredExecutor() {}

  /** Does something after a while; if no thread can be started then, after another one. */
  static void execute(Runnable task, long millis, Executor executor) {
    execute(task, millis, executor, failure -> execute(task, millis, executor));
  }

  /**
   * Does something after a while.
   *
   * @param executor does it
   * @param refused hears why the executor has not taken it, as no thread could be started, say
   */
  static void execute(Runnable task, long millis, Executor executor, Consumer<Throwable> refused) {
    // What an executor throws is lost on the thread that waits.
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
