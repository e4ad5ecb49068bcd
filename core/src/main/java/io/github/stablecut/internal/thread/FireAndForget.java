package io.github.stablecut.internal.thread;

import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Work whose result nobody awaits. Its failures are logged here, a few per minute; the future that
 * a JDK method returns for such work would keep them to itself.
 */
public final class FireAndForget {
  private static final Logger LOG = Log.of(FireAndForget.class);

  /** For failures of stages and of the actions after them. */
  private static final LogLimit STAGES = new LogLimit();

  private FireAndForget() {}

  /**
   * Calls an action once a stage has completed. Logs what the action throws.
   *
   * @param action handles the result, and the failure of the stage
   */
  public static <T> void whenDone(
      CompletionStage<T> stage, BiConsumer<? super T, ? super @Nullable Throwable> action) {
    stage.whenComplete(
        (result, failure) -> {
          try {
            action.accept(result, failure);
          } catch (RuntimeException | Error e) {
            log(STAGES, "the action after a completed request failed", e);
          }
        });
  }

  /**
   * Logs the failure of a stage.
   *
   * @param what the failure in words, such as {@code a node could not be invited}
   */
  public static void logFailure(CompletionStage<?> stage, String what) {
    whenDone(
        stage,
        (result, failure) -> {
          if (failure != null) {
            log(STAGES, what, failure);
          }
        });
  }

  /**
   * Repeats a task at an interval. Logs what it throws, and repeats it nevertheless.
   *
   * @param name the task in words, such as {@code the renewal of handles}
   */
  @SuppressWarnings("FutureReturnValueIgnored") // the task logs its failure
  public static void repeat(
      ScheduledExecutorService timer, long millis, String name, Runnable task) {
    timer.scheduleWithFixedDelay(logged(name, task), millis, millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Executes a task after a delay. Logs what it throws.
   *
   * @param name the task in words
   */
  @SuppressWarnings("FutureReturnValueIgnored") // the task logs its failure
  public static void schedule(
      ScheduledExecutorService timer, long millis, String name, Runnable task) {
    timer.schedule(logged(name, task), millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Returns a task that logs what another one throws.
   *
   * @param name the task in words
   */
  public static Runnable logged(String name, Runnable task) {
    LogLimit limit = new LogLimit();
    return () -> {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        log(limit, name + " failed", e);
      }
    };
  }

  private static void log(LogLimit limit, String what, Throwable failure) {
    try {
      limit.ifAdmitted(more -> LOG.error(what + more, failure));
    } catch (RuntimeException | Error e) {
      // Out of memory: a later failure is logged, and a repetition must go on.
    }
  }
}
