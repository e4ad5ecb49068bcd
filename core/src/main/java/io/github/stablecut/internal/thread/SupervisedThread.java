package io.github.stablecut.internal.thread;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A daemon thread that survives whatever its work throws, errors included: the fault is recorded,
 * and after a pause the work begins again. It ends when the work returns. Thread-safe.
 *
 * <p>So the work is a loop that returns once its owner is closed, and whose state is consistent
 * wherever it may throw: what others wait for is settled in {@code finally}.
 */
public final class SupervisedThread {
  /** So that work that fails at once, again and again, does not take a processor. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Thread thread;

  /** Made before it is needed: there may be no memory left to name the thread. */
  private final String named;

  private final Runnable work;
  private final FaultLog faults;

  /** A thread that is not started. */
  public SupervisedThread(String name, Runnable work, FaultLog faults) {
    this.work = work;
    this.faults = faults;
    this.named = "thread " + name;
    this.thread = Threads.daemon(name, this::supervise);
  }

  private void supervise() {
    while (!isDone()) {
      LockSupport.parkNanos(this, PAUSE_NANOS);
    }
  }

  private boolean isDone() {
    try {
      runWork();
      return true;
    } catch (Throwable e) {
      faults.add(named, e);
      var unused = Thread.interrupted();
      return false;
    }
  }

  /** A method of its own, so that a fault in mapped memory that is reported late is caught too. */
  private void runWork() {
    work.run();
  }

  /** Starts it. */
  public void start() {
    thread.start();
  }

  /** Whether {@link #start} was called. */
  public boolean isStarted() {
    return thread.getState() != Thread.State.NEW;
  }

  /** Wakes it from {@link LockSupport#park()}, now or the next time. */
  public void unpark() {
    LockSupport.unpark(thread);
  }

  /** Waits for its end. An interrupt does not end the wait; its flag stays set. */
  public void join() {
    Threads.join(thread);
  }
}
