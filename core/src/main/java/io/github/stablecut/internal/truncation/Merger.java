package io.github.stablecut.internal.truncation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.checkpoint.CheckpointDroppedException;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.internal.meter.MergeEvent;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.log.Log;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;

/**
 * Merges runs of checkpoints at a limited rate, on a thread that it starts and joins: new
 * checkpoints do not wait for it. A merge that fails or is stopped is dropped, and restarts on the
 * next request. Thread-safe.
 */
final class Merger implements AutoCloseable {
  private static final Logger LOG = Log.of(Merger.class);

  private final CheckpointStore checkpoints;

  /** Runs after each merge. */
  private final Runnable truncation;

  private final SupervisedThread thread;
  private final Runnable requests = this::request;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Whether to drop the current merge. */
  private volatile boolean isStopped;

  /** The reason why the last merge failed; empty if it succeeded. */
  private volatile Optional<String> problem = Optional.empty();

  private volatile MergeProgress progress = MergeProgress.NONE;

  @GuardedBy("lock")
  private boolean isRequested;

  @GuardedBy("lock")
  private boolean busy;

  @GuardedBy("lock")
  private boolean closing;

  /**
   * @param truncation runs after each merge
   * @param name the suffix of the thread's name, after {@code merge-}
   * @param faults records the errors that the thread survives
   */
  Merger(CheckpointStore checkpoints, Runnable truncation, String name, FaultLog faults) {
    this.checkpoints = checkpoints;
    this.truncation = truncation;
    this.thread = new SupervisedThread("merge-" + name, this::run, faults);
  }

  void start() {
    thread.start();
  }

  boolean isStarted() {
    return thread.isStarted();
  }

  /**
   * Requests a merge, if there is something to merge, and the deletion of files that readers left.
   */
  void request() {
    lock.lock();
    try {
      isRequested = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A reusable action that calls {@link #request}. */
  Runnable requests() {
    return requests;
  }

  /** Runs all due merges on the caller's thread. */
  void mergeAll() {
    try {
      while (!isStopped && merge()) {
        truncation.run();
      }
    } finally {
      progress = MergeProgress.NONE;
    }
  }

  private boolean merge() {
    MergeEvent event = new MergeEvent();
    event.begin();
    boolean isMerged = checkpoints.compact(this::report);
    if (isMerged) {
      event.bytes = progress.writtenBytes();
      event.commit();
    }
    return isMerged;
  }

  private boolean report(long writtenBytes, long atMostBytes) {
    progress = new MergeProgress(writtenBytes, atMostBytes);
    return !isStopped;
  }

  /** Whether merging is suspended or closed. */
  boolean isStopped() {
    return isStopped;
  }

  /** The progress of the current merge. */
  MergeProgress progress() {
    return progress;
  }

  /** Drops the current merge, and starts none until {@link #resume}. */
  void suspend() {
    lock.lock();
    try {
      isStopped = true;
      while (busy) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Reverts {@link #suspend}. */
  void resume() {
    lock.lock();
    try {
      isStopped = false;
      isRequested = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (awaitWork()) {
      try {
        mergeAll();
        problem = Optional.empty();
      } catch (CheckpointDroppedException e) {
        if (!isStopped) {
          LOG.warn(
              "a merge was dropped, and is retried after the next checkpoint: {}", e.getMessage());
          failed(e);
        }
      } catch (Throwable e) {
        LOG.error("a merge failed; the store continues with the runs it has", e);
        failed(e);
      } finally {
        rest();
      }
    }
  }

  private void failed(Throwable why) {
    problem =
        Optional.of(
            "the last merge of checkpoint files failed and is retried after the next checkpoint: "
                + why.getMessage());
  }

  /** Returns the reason why merging fails; empty if it does not. */
  Optional<String> problem() {
    return problem;
  }

  /** Waits until there is work; returns false after {@link #close}. */
  private boolean awaitWork() {
    lock.lock();
    try {
      while (!closing && (isStopped || !isRequested)) {
        changed.awaitUninterruptibly();
      }
      isRequested = false;
      busy = !closing;
      return busy;
    } finally {
      lock.unlock();
    }
  }

  private void rest() {
    lock.lock();
    try {
      busy = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Drops the current merge and ends the thread. */
  @Override
  public void close() {
    lock.lock();
    try {
      closing = true;
      isStopped = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    thread.join();
  }
}
