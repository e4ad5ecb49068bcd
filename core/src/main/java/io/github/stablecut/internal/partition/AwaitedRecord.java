package io.github.stablecut.internal.partition;

import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.thread.CompletionExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A record that one thread waits for, or a stage. Completed once, by the thread that flushes
 * groups.
 */
abstract sealed class AwaitedRecord extends SequencedRecord
    permits CommitRequest, ClockRequest, SavedRecord {
  private static final Object DONE = new Object();

  /**
   * A stage, and where those who depend on it run: not on the thread that flushes groups. Made
   * before the record is appended, so that its completion takes no memory.
   */
  private final class Stage extends CompletionExecutor.Task {
    private final CompletableFuture<Void> future = new CompletableFuture<>();
    private final Executor executor;

    Stage(Executor executor) {
      this.executor = executor;
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
  private volatile @Nullable Runnable settled;

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
    Runnable told = settled;
    if (told != null) {
      told.run();
    }
    Stage dependent = stage;
    if (dependent != null) {
      dependent.executor.execute(dependent);
    }
  }

  /** Wakes who sleeps in {@link #sleep}. */
  void wake() {
    Thread blocked = waiter;
    if (blocked != null) {
      LockSupport.unpark(blocked);
    }
  }

  /** Sleeps for a while, but not beyond the outcome. */
  void sleep() throws InterruptedException {
    waiter = Thread.currentThread();
    if (!hasOutcome()) {
      LockSupport.park(this);
    }
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  final boolean hasOutcome() {
    return outcome != null;
  }

  /**
   * Waits for the record, whether or not the thread is interrupted: an interrupt can't call back
   * what was handed to the journal. Its flag stays set.
   *
   * @throws StablecutException if the record failed
   */
  void await() {
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
   * Has something done as soon as the outcome is known, whatever becomes of the stage: on the
   * thread that flushes groups, so it returns at once. Before the record is appended.
   */
  public final void whenSettled(Runnable action) {
    settled = action;
  }

  /**
   * A stage for this record, which must not have been appended yet. It completes on the executor,
   * which neither blocks nor refuses.
   */
  CompletionStage<Void> completeOn(Executor executor) {
    Stage dependent = new Stage(executor);
    stage = dependent;
    return dependent.future;
  }
}
