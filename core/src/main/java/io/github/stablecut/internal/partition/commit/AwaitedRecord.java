package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.thread.CompletionExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A record that a thread or a stage waits for. The thread that flushes groups completes it once;
 * that thread may itself be the waiter.
 */
public abstract sealed class AwaitedRecord extends SequencedRecord
    permits CommitRequest, ClockRequest, SavedRecord {
  private static final Object DONE = new Object();

  /**
   * A stage and the executor that completes it, so that the flushing thread does not. Created
   * before the record is appended, so that completion allocates nothing. Holds no reference to the
   * record, which may be large: the executor retains the stage until its next task.
   */
  private static final class Stage extends CompletionExecutor.Task {
    private final CompletableFuture<Void> future = new CompletableFuture<>();
    private final Executor executor;
    private volatile @Nullable Object outcome;

    Stage(Executor executor) {
      this.executor = executor;
    }

    void complete(Object newOutcome) {
      outcome = newOutcome;
      executor.execute(this);
    }

    @Override
    protected void execute() {
      if (outcome instanceof StablecutException failure) {
        future.completeExceptionally(failure);
      } else {
        future.complete(null);
      }
    }
  }

  /** {@link #DONE}, or the exception. */
  private volatile @Nullable Object outcome;

  private volatile @Nullable Thread waiter;
  private volatile @Nullable Stage stage;
  private volatile @Nullable Runnable settledAction;

  AwaitedRecord(byte kind, byte[] body) {
    super(kind, body);
  }

  @Override
  void succeed() {
    complete(DONE);
  }

  @Override
  void fail(StablecutException failure) {
    complete(failure);
  }

  private void complete(Object newOutcome) {
    if (hasOutcome()) {
      return;
    }
    outcome = newOutcome;
    wake();
    try {
      tellSettled();
    } finally {
      Stage dependent = stage;
      if (dependent != null) {
        dependent.complete(newOutcome);
      }
    }
  }

  /** Wakes the thread in {@link #sleep}. */
  void wake() {
    Thread blocked = waiter;
    if (blocked != null) {
      LockSupport.unpark(blocked);
    }
  }

  /** Sleeps until woken; returns at once if the outcome is known. */
  void sleep() throws InterruptedException {
    waiter = Thread.currentThread();
    if (!hasOutcome()) {
      LockSupport.park(this);
    }
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  public final boolean hasOutcome() {
    return outcome != null;
  }

  /**
   * Waits for the outcome. Ignores interrupts, as a submitted record can't be recalled, and keeps
   * the interrupt flag.
   *
   * @throws StablecutException if the record failed
   */
  public void await() {
    boolean interrupted = false;
    while (!hasOutcome()) {
      try {
        sleep();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (outcome instanceof StablecutException failure) {
      throw failure;
    }
  }

  /**
   * Registers an action that runs when the outcome is known, regardless of the stage. It runs on
   * the thread that flushes groups or handles another process's answer, so it must return at once.
   * It may run twice, if a record that was not written here is written elsewhere. Called before the
   * record is appended.
   */
  public final void whenSettled(Runnable action) {
    settledAction = action;
  }

  /** Runs the registered action: the outcome is known, here or from another process's answer. */
  public final void tellSettled() {
    Runnable action = settledAction;
    if (action != null) {
      action.run();
    }
  }

  /**
   * Returns a stage for this record, which is not appended yet. The executor completes the stage,
   * and must neither block nor reject tasks.
   */
  public CompletionStage<Void> completeOn(Executor executor) {
    Stage dependent = new Stage(executor);
    stage = dependent;
    return dependent.future;
  }
}
