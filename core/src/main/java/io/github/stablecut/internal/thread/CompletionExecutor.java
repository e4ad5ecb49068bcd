package io.github.stablecut.internal.thread;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The user's executor as the engine uses it: tasks are queued, and threads of this hand them over.
 * So whoever calls {@link #execute}, such as the thread that flushes groups, never waits, is never
 * refused, and runs no code of the user. Thread-safe.
 *
 * <p>The user's executor may do what it likes, and the task runs all the same, once:
 *
 * <ul>
 *   <li>If it refuses a task (or throws anything else), the task runs on the thread that handed it
 *       over, {@code completion-…}, unless the executor has run it before it threw.
 *   <li>If it runs the task on the calling thread or blocks, other tasks wait behind it for {@value
 *       #PATIENCE_MILLIS} ms; then another thread takes over. Up to {@value #MAX_THREADS} calls may
 *       block like that at the same time; further tasks wait until one of them returns.
 * </ul>
 *
 * <p>Tasks are handed over in the order of {@link #execute}, as long as no call blocks. Queuing a
 * {@link Task} allocates nothing.
 */
public final class CompletionExecutor implements Executor, AutoCloseable {
  private static final int MAX_THREADS = 64;
  private static final int PATIENCE_MILLIS = 20;
  private static final String SUBJECT = "the executor of StoreOptions";

  /**
   * A task that was made before it is known whether there will be memory to queue it. It is
   * executed once, however often it is run: an executor may run or queue it and throw all the same.
   */
  public static class Task implements Runnable {
    /** Null once it runs: the last task is kept, and what it does may be large. */
    private @Nullable Runnable command;

    private final AtomicBoolean isTaken = new AtomicBoolean();
    private volatile @Nullable Task next;

    /** For subclasses that override {@link #execute}. */
    protected Task() {
      this.command = null;
    }

    private Task(Runnable command) {
      this.command = command;
    }

    @Override
    public final void run() {
      if (isTaken.compareAndSet(false, true)) {
        execute();
      }
    }

    /** What the task does. */
    protected void execute() {
      Runnable taken = command;
      if (taken != null) {
        command = null;
        taken.run();
      }
    }
  }

  private final Executor target;
  private final FaultLog faults;
  private final SupervisedThread dispatcher;
  private final SupervisedThread watch;

  /** The last task that was queued. */
  private final AtomicReference<Task> tail;

  /** The last task that was taken. */
  @GuardedBy("this")
  private Task head;

  private final AtomicInteger inHand = new AtomicInteger();
  private final AtomicInteger helpers = new AtomicInteger();
  private final AtomicLong handedOver = new AtomicLong();
  private volatile boolean dispatcherSleeps;
  private volatile boolean watchSleeps;
  private volatile boolean closed;

  /**
   * @param target the user's
   */
  public CompletionExecutor(Executor target, FaultLog faults) {
    this.target = target;
    this.faults = faults;
    Task none = new Task();
    this.head = none;
    this.tail = new AtomicReference<>(none);
    this.dispatcher = new SupervisedThread("completion-1", this::dispatch, faults);
    this.watch = new SupervisedThread("completion-watch", this::watch, faults);
  }

  /** Starts the threads, unless they are. Before the first {@link #execute}. */
  public void start() {
    if (!watch.isStarted()) {
      startBoth();
    }
  }

  private synchronized void startBoth() {
    if (!dispatcher.isStarted()) {
      dispatcher.start();
    }
    if (!watch.isStarted()) {
      watch.start();
    }
  }

  @Override
  public void execute(Runnable command) {
    Task task = command instanceof Task made ? made : new Task(command);
    Task before = tail.getAndSet(task);
    before.next = task;
    // First queued, then looked; who goes to sleep, or ends, says so first, and looks then.
    if (dispatcherSleeps) {
      dispatcher.unpark();
    }
    if (closed) {
      handOverAll();
    }
  }

  /**
   * Runs a task on the user's executor, without waiting behind completions. If the executor throws,
   * {@link #execute} takes the task, unless it has run.
   */
  public void executeFirst(Runnable command) {
    Task task = new Task(command);
    try {
      target.execute(task);
    } catch (Throwable e) {
      if (!task.isTaken.get()) {
        start();
        execute(task);
      }
      faults.add(SUBJECT, e);
    }
  }

  private synchronized @Nullable Task poll() {
    Task first = head.next;
    if (first != null) {
      head = first;
    }
    return first;
  }

  private synchronized boolean isEmpty() {
    return head.next == null;
  }

  private void dispatch() {
    while (true) {
      handOverAll();
      if (closed) {
        return;
      }
      dispatcherSleeps = true;
      if (isEmpty() && !closed) {
        LockSupport.park(this);
      }
      dispatcherSleeps = false;
    }
  }

  /**
   * Hands over what is queued, on the caller's thread. For others only if {@link #start} was not
   * called: then one thread does everything.
   */
  public void handOverAll() {
    for (Task task = poll(); task != null; task = poll()) {
      handOver(task);
    }
  }

  private void handOver(Task task) {
    inHand.incrementAndGet();
    if (watchSleeps) {
      watch.unpark();
    }
    try {
      target.execute(task);
    } catch (Throwable e) {
      faults.add(SUBJECT, e);
      runHere(task);
    } finally {
      handedOver.incrementAndGet();
      inHand.decrementAndGet();
      // What the user's code has left of an interrupt must not keep this thread from sleeping.
      var unused = Thread.interrupted();
    }
  }

  private void runHere(Task task) {
    try {
      task.run();
    } catch (Throwable e) {
      faults.add("the completion of a stage", e);
    }
  }

  /** Starts another thread whenever nothing was handed over for a while although tasks wait. */
  private void watch() {
    while (!closed || inHand.get() > 0 || !isEmpty()) {
      watchSleeps = true;
      if (inHand.get() == 0 && isEmpty() && !closed) {
        LockSupport.park(this);
      }
      watchSleeps = false;
      long before = handedOver.get();
      LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS));
      if (handedOver.get() == before && !isEmpty() && helpers.get() < MAX_THREADS - 1) {
        startHelper();
      }
    }
  }

  private void startHelper() {
    int number = helpers.incrementAndGet() + 1;
    boolean isStarted = false;
    try {
      new SupervisedThread("completion-" + number, this::help, faults).start();
      isStarted = true;
    } finally {
      if (!isStarted) {
        helpers.decrementAndGet();
      }
    }
  }

  private void help() {
    handOverAll();
    helpers.decrementAndGet();
  }

  /** What is wrong with the user's executor, in words; empty if nothing is. */
  public List<String> problems() {
    return helpers.get() < MAX_THREADS - 1
        ? List.of()
        : List.of(
            "%d calls of the executor of StoreOptions have not returned, and completed stages wait behind them: give the store an executor that does not block, and do not wait in stages"
                .formatted(MAX_THREADS));
  }

  /**
   * Hands over what is queued, and ends the threads. Waits for nothing. Who queues a task after
   * that hands it over, so that nobody waits for one that no thread takes.
   */
  @Override
  public void close() {
    closed = true;
    dispatcher.unpark();
    watch.unpark();
  }
}
