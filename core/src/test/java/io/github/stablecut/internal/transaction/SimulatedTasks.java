package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.thread.Threads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Actions of a simulation that wait for each other in the middle of the engine's code. Each has a
 * thread, and at most one thread runs: the simulation's, or that of the action that it lets
 * continue. So a seed decides their order.
 */
final class SimulatedTasks {
  /** The longest that an action runs before it waits, in real time. */
  private static final long HANG_SECONDS = 60;

  private static final long LONGEST_LOOP_SECONDS = 600;

  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(work -> Threads.daemon("simulated", work));

  /** Ends an action of a simulation that has ended. */
  private static final class Abandoned extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** Ends a run of the loop, which another thread has continued. */
  private static final class Moved extends Error {
    private static final long serialVersionUID = 1L;

    Moved() {
      super("the loop has moved", null, false, false);
    }
  }

  private static final class Task {
    /** Whether it began on the thread of the loop, which then has to move. */
    private boolean isOfLoop;

    private final Semaphore turn = new Semaphore(0);
    private BooleanSupplier isReady = () -> true;
    private @Nullable Object subject;
    private boolean isOver;
    private @Nullable Thread thread;
  }

  private final Random random;
  private final Semaphore simulation = new Semaphore(0);
  private final List<Task> waiting = new ArrayList<>();

  /** The action that runs; null while the simulation does. */
  private @Nullable Task running;

  private Optional<Throwable> failure = Optional.empty();
  private boolean isAbandoned;

  private final Semaphore loopEnd = new Semaphore(0);
  private Runnable loop = () -> {};
  private Optional<Throwable> loopFailure = Optional.empty();

  SimulatedTasks(Random random) {
    this.random = random;
  }

  /** Whether an action runs, which may wait. */
  boolean isRunning() {
    return running != null;
  }

  boolean areOver() {
    return waiting.isEmpty();
  }

  /**
   * Runs the simulation's loop. If an action of {@link #startInLoop} waits, another thread runs the
   * loop once more, which has to continue where it was.
   */
  void loop(Runnable newLoop) {
    loop = newLoop;
    // Not this thread: it could not return while its last action waits.
    THREADS.execute(this::runLoop);
    try {
      if (!loopEnd.tryAcquire(LONGEST_LOOP_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("the simulation hangs");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    if (loopFailure.isPresent()) {
      throw new AssertionError(loopFailure.get());
    }
  }

  private void runLoop() {
    try {
      loop.run();
      loopEnd.release();
    } catch (Moved e) {
      // Another thread runs it.
    } catch (Throwable e) {
      loopFailure = Optional.of(e);
      loopEnd.release();
    }
  }

  /**
   * Runs an action as {@link #start} does, mostly without a change of threads. Only the loop itself
   * may call it, not the engine.
   */
  void startInLoop(Runnable action) {
    Task task = new Task();
    task.isOfLoop = true;
    task.thread = Thread.currentThread();
    running = task;
    try {
      action.run();
    } catch (Throwable e) {
      fail(e);
    }
    if (task.isOfLoop) {
      running = null;
    } else {
      task.isOver = true;
      simulation.release();
      throw new Moved();
    }
  }

  /** Runs an action until it waits or ends; one that an action starts runs later. */
  void start(Runnable action) {
    Task task = new Task();
    THREADS.execute(
        () -> {
          task.turn.acquireUninterruptibly();
          task.thread = Thread.currentThread();
          try {
            if (!isAbandoned) {
              action.run();
            }
          } catch (Throwable e) {
            fail(e);
          } finally {
            task.isOver = true;
            simulation.release();
          }
        });
    if (isRunning()) {
      waiting.add(task);
    } else {
      resume(task);
    }
  }

  private void fail(Throwable cause) {
    if (failure.isEmpty() && !(cause instanceof Abandoned)) {
      failure = Optional.of(cause);
    }
  }

  private void resume(Task task) {
    running = task;
    task.turn.release();
    try {
      if (!simulation.tryAcquire(HANG_SECONDS, TimeUnit.SECONDS)) {
        Thread hanging = task.thread;
        AssertionError hang = new AssertionError("an action hangs");
        if (hanging != null) {
          hang.setStackTrace(hanging.getStackTrace());
        }
        throw hang;
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    running = null;
    if (!task.isOver) {
      waiting.add(task);
    }
  }

  /** Throws what an action has thrown. */
  void check() {
    if (failure.isPresent()) {
      throw new AssertionError(failure.get());
    }
  }

  /**
   * Makes the current action wait.
   *
   * @param subject what it waits for, for {@link #finish}
   */
  void await(Object subject, BooleanSupplier isReady) {
    if (isAbandoned) {
      throw new Abandoned();
    }
    if (isReady.getAsBoolean()) {
      return;
    }
    Task task = running;
    if (task == null) {
      AssertionError error = new AssertionError("the simulation's thread would wait for others");
      fail(error);
      throw error;
    }
    suspend(task, subject, isReady);
  }

  private void suspend(Task task, Object subject, BooleanSupplier isReady) {
    task.isReady = isReady;
    task.subject = subject;
    if (task.isOfLoop) {
      task.isOfLoop = false;
      running = null;
      waiting.add(task);
      THREADS.execute(this::runLoop);
    } else {
      simulation.release();
    }
    task.turn.acquireUninterruptibly();
    task.subject = null;
    if (isAbandoned) {
      throw new Abandoned();
    }
  }

  /** Makes the current action wait until others had a turn. */
  void pause() {
    Task task = running;
    if (task == null) {
      throw new AssertionError("the simulation's thread would wait for others");
    }
    suspend(task, task, () -> true);
  }

  /** Whether an action waits for a subject. */
  boolean isAwaited(Object subject) {
    return waiting.stream().anyMatch(task -> task.subject == subject);
  }

  /**
   * Lets the actions continue that are ready.
   *
   * @param isFair whether each of them is
   */
  void proceed(boolean isFair) {
    for (Task task : List.copyOf(waiting)) {
      boolean hasTurn = isFair || random.nextInt(4) > 0;
      if (hasTurn && task.isReady.getAsBoolean() && waiting.remove(task)) {
        resume(task);
      }
    }
  }

  /** Lets the actions continue that wait for one of two subjects, until none does. */
  void finish(Object subject, Object other) {
    while (isAwaited(subject) || isAwaited(other)) {
      Task next =
          waiting.stream()
              .filter(task -> task.subject == subject || task.subject == other)
              .filter(task -> task.isReady.getAsBoolean())
              .findFirst()
              .orElseThrow(() -> new AssertionError("actions wait for what never happens"));
      waiting.remove(next);
      resume(next);
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(waiting.size() + " actions wait");
    for (Task task : waiting) {
      Thread thread = task.thread;
      if (thread != null) {
        Arrays.stream(thread.getStackTrace())
            .filter(frame -> frame.getClassName().contains("stablecut"))
            .forEach(frame -> text.append("\n    ").append(frame));
        text.append("\n");
      }
    }
    return text.toString();
  }

  /** Ends all actions. */
  void abandon() {
    isAbandoned = true;
    for (Task task : List.copyOf(waiting)) {
      waiting.remove(task);
      resume(task);
    }
  }
}
