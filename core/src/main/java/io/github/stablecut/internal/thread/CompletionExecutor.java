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
 * Decouples the engine from the user's executor: it queues tasks, and its own threads submit them.
 * A caller of {@link #execute}, such as the thread that flushes groups, therefore never waits, is
 * never rejected, and runs no user code. Thread-safe.
 *
 * <p>Each task runs exactly once, whatever the user's executor does:
 *
 * <ul>
 *   <li>If it rejects a task or throws anything else, the task runs on the submitting thread,
 *       {@code completion-…}, unless the executor ran it before throwing.
 *   <li>If it runs the task on the calling thread or blocks, other tasks wait for {@value
 *       #PATIENCE_MILLIS} ms; then another thread takes over. Up to {@value #MAX_THREADS} calls may
 *       block at the same time; further tasks wait until one of them returns.
 * </ul>
 *
 * <p>Tasks are submitted in the order of {@link #execute}, as long as no call blocks. Queueing a
 * {@link Task} allocates nothing.
 */
public final class CompletionExecutor implements Executor, AutoCloseable {
  private static final int MAX_THREADS = 64;
  private static final int PATIENCE_MILLIS = 20;
  private static final String SUBJECT = "the executor of StoreOptions";

  /**
   * A preallocated task, so that queueing it needs no memory. It executes once, however often it is
   * run: an executor may run or queue it and nevertheless throw.
   */
  public static class Task implements Runnable {
    /** Null once the task runs: the queue retains the last task, and its command may be large. */
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

    /** Executes the task. */
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

  /** The most recently queued task. */
  private final AtomicReference<Task> tail;

  /** The most recently dequeued task. */
  @GuardedBy("this")
  private Task head;

  private final AtomicInteger submitting = new AtomicInteger();
  private final AtomicInteger helpers = new AtomicInteger();
  private final AtomicLong submitted = new AtomicLong();
  private volatile boolean dispatcherSleeps;
  private volatile boolean watchSleeps;
  private volatile boolean closed;

  /**
   * @param target the user's executor
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

  /** Starts the threads, if they are not started. Called before the first {@link #execute}. */
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
    Task task = command instanceof Task preallocated ? preallocated : new Task(command);
    Task before = tail.getAndSet(task);
    before.next = task;
    // Queues before checking the flags; a thread that goes to sleep, and close, set the flag before
    // checking the queue.
    if (dispatcherSleeps) {
      dispatcher.unpark();
    }
    if (closed) {
      submitAll();
    }
  }

  /**
   * Runs a task on the user's executor without waiting behind completions. If the executor throws,
   * {@link #execute} runs the task, unless it has run.
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
      submitAll();
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
   * Submits the queued tasks on the caller's thread. Other classes may call this only if {@link
   * #start} was not called: then one thread does everything.
   */
  public void submitAll() {
    for (Task task = poll(); task != null; task = poll()) {
      submit(task);
    }
  }

  private void submit(Task task) {
    submitting.incrementAndGet();
    if (watchSleeps) {
      watch.unpark();
    }
    try {
      target.execute(task);
    } catch (Throwable e) {
      faults.add(SUBJECT, e);
      runHere(task);
    } finally {
      submitted.incrementAndGet();
      submitting.decrementAndGet();
      // Clears an interrupt that user code left behind, which would keep this thread from sleeping.
      Thread.interrupted();
    }
  }

  private void runHere(Task task) {
    try {
      task.run();
    } catch (Throwable e) {
      faults.add("the completion of a stage", e);
    }
  }

  /** Starts another thread whenever no task was submitted for a while although some are queued. */
  private void watch() {
    while (!closed || submitting.get() > 0 || !isEmpty()) {
      watchSleeps = true;
      if (submitting.get() == 0 && isEmpty() && !closed) {
        LockSupport.park(this);
      }
      watchSleeps = false;
      long before = submitted.get();
      LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS));
      if (submitted.get() == before && !isEmpty() && helpers.get() < MAX_THREADS - 1) {
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
    submitAll();
    helpers.decrementAndGet();
  }

  /** Describes the problems of the user's executor; empty if there are none. */
  public List<String> problems() {
    return helpers.get() < MAX_THREADS - 1
        ? List.of()
        : List.of(
            "%d calls of the executor of StoreOptions are blocked and delay completed stages: give the store an executor that does not block, and do not wait in stages"
                .formatted(MAX_THREADS));
  }

  /**
   * Submits the queued tasks and ends the threads. Does not wait. A task queued afterwards is
   * submitted by its caller, so that no stage is left incomplete.
   */
  @Override
  public void close() {
    closed = true;
    dispatcher.unpark();
    watch.unpark();
  }
}
