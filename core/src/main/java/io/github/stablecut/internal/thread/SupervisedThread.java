package io.github.stablecut.internal.thread;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A daemon thread that restarts its work after any exception or error: it records the fault and
 * runs the work again after a pause. It ends when the work returns. Thread-safe.
 *
 * <p>The work therefore is a loop that returns once its owner is closed. Its state must be
 * consistent wherever it may throw; waiters are released in {@code finally}.
 */
public final class SupervisedThread {
  /** The pause after a failure, so that work that fails repeatedly does not occupy a processor. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Thread thread;

  /** The thread's name in messages; created in advance because there may be no memory later. */
  private final String description;

  private final Runnable work;
  private final FaultLog faults;

  /** Creates a thread without starting it. */
  public SupervisedThread(String name, Runnable work, FaultLog faults) {
    this.work = work;
    this.faults = faults;
    this.description = "thread " + name;
    this.thread = Threads.daemon(name, this::supervise);
  }

  private void supervise() {
    while (!runOnce()) {
      LockSupport.parkNanos(this, PAUSE_NANOS);
    }
  }

  private boolean runOnce() {
    try {
      runWork();
      return true;
    } catch (Throwable e) {
      faults.add(description, e);
      Thread.interrupted();
      return false;
    }
  }

  /**
   * Runs the work in a separate method, so that a fault in mapped memory that is reported late is
   * caught as well.
   */
  private void runWork() {
    work.run();
  }

  /** Starts the thread. */
  public void start() {
    thread.start();
  }

  /** Whether {@link #start} was called. */
  public boolean isStarted() {
    return thread.getState() != Thread.State.NEW;
  }

  /** Wakes the thread from its current or next {@link LockSupport#park()}. */
  public void unpark() {
    LockSupport.unpark(thread);
  }

  /** Waits for the thread's end. An interrupt does not end the wait; its flag stays set. */
  public void join() {
    Threads.join(thread);
  }
}
