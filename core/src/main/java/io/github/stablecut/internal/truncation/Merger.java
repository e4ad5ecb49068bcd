package io.github.stablecut.internal.truncation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.checkpoint.CheckpointDroppedException;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.thread.Threads;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges runs of checkpoints at a limited speed, on a thread of its own that it starts and joins:
 * new checkpoints don't wait for it. A merge that fails or is stopped is dropped, and begins again
 * when it is asked for. Thread-safe.
 */
final class Merger implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Merger.class);

  private final CheckpointStore checkpoints;

  /** What runs after each merge. */
  private final Runnable truncation;

  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Whether a merge that is going on is to be dropped. */
  private volatile boolean isStopped;

  private volatile Maintenance.Merge progress = Maintenance.Merge.NONE;

  @GuardedBy("lock")
  private boolean wanted;

  @GuardedBy("lock")
  private boolean busy;

  @GuardedBy("lock")
  private boolean closing;

  /**
   * @param truncation what runs after each merge
   * @param name what the thread is called behind {@code merge-}
   */
  Merger(CheckpointStore checkpoints, Runnable truncation, String name) {
    this.checkpoints = checkpoints;
    this.truncation = truncation;
    this.thread = Threads.daemon("merge-" + name, this::run);
  }

  void start() {
    thread.start();
  }

  /** There may be something to merge. */
  void request() {
    lock.lock();
    try {
      wanted = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Merges all that is to be merged, on the caller's thread. */
  void mergeAll() {
    try {
      while (!isStopped && checkpoints.compact(this::goesOn)) {
        truncation.run();
      }
    } finally {
      progress = Maintenance.Merge.NONE;
    }
  }

  private boolean goesOn(long writtenBytes, long atMostBytes) {
    progress = new Maintenance.Merge(writtenBytes, atMostBytes);
    return !isStopped;
  }

  /** Whether a merge that is going on is being dropped, and none begins. */
  boolean isStopped() {
    return isStopped;
  }

  /** How far the merge is that goes on. */
  Maintenance.Merge progress() {
    return progress;
  }

  /** Drops a merge that is going on, and begins none until {@link #resume}. */
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

  /** Ends what {@link #suspend} began. */
  void resume() {
    lock.lock();
    try {
      isStopped = false;
      wanted = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (awaitWork()) {
      try {
        mergeAll();
      } catch (CheckpointDroppedException e) {
        if (!isStopped) {
          LOG.warn(
              "a merge was dropped and is tried after the next checkpoint: {}", e.getMessage());
        }
      } catch (StablecutException e) {
        LOG.error("merging failed; the store goes on with the runs it has", e);
      } finally {
        rest();
      }
    }
  }

  /** Waits until there is something to do; false at the end. */
  private boolean awaitWork() {
    lock.lock();
    try {
      while (!closing && (isStopped || !wanted)) {
        changed.awaitUninterruptibly();
      }
      wanted = false;
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

  /** Drops a merge that is going on, and ends the thread. */
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
    Threads.join(thread);
  }
}
