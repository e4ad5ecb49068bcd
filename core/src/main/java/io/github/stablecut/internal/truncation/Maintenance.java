package io.github.stablecut.internal.truncation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.internal.paging.PageSizes;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.log.Log;
import io.github.stablecut.option.CheckpointPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Makes checkpoints when they are due or requested, and truncates after each, on a thread that it
 * starts and joins; a second thread merges runs. Failures are retried with increasing pauses: the
 * store continues with the checkpoints it has, and applies backpressure when too much is in none
 * ({@link CheckpointBacklog}). Thread-safe.
 */
public final class Maintenance implements AutoCloseable {
  private static final Logger LOG = Log.of(Maintenance.class);

  /** The pause before the first retry of a failed checkpoint; it doubles up to about a minute. */
  private static final long FIRST_RETRY_NANOS = 1_000_000_000;

  private static final int MAX_RETRY_SHIFT = 6;

  private final Checkpointer checkpointer;
  private final Truncator truncator;
  private final CheckpointStore checkpoints;
  private final Journal journal;
  private final Merger merger;
  private final Duration interval;
  private final CheckpointBacklog backlog;
  private final ReplicaCheckpointAgreement replicas;
  private final Supplier<VectorClock> lastDurable;
  private final Supplier<Watermarks> watermarks;
  private final SupervisedThread thread;

  private volatile Runnable sync = () -> {};

  /** Held while a checkpoint is written or the journal truncated. */
  private final ReentrantLock working = new ReentrantLock();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** The number of requests for a checkpoint. */
  @GuardedBy("lock")
  private long requested;

  /** The last request that was served. */
  @GuardedBy("lock")
  private long done;

  /** The last request that has its checkpoint. */
  @GuardedBy("lock")
  private long succeeded;

  /** Returns the reason why the last checkpoint failed; empty if it succeeded. */
  @GuardedBy("lock")
  private Optional<StablecutException> failure = Optional.empty();

  /** The number of failures since the last success. */
  @GuardedBy("lock")
  private int failures;

  /** No retry before this {@link System#nanoTime}, except on request. */
  @GuardedBy("lock")
  private long retryAtNanos = System.nanoTime();

  /** Whether truncation waits for the retention, so that there is work without commits. */
  @GuardedBy("lock")
  private boolean unfinished;

  @GuardedBy("lock")
  private boolean closing;

  @GuardedBy("lock")
  private boolean suspended;

  @GuardedBy("lock")
  private boolean busy;

  /** Created once, because each commit passes it on. */
  private final Supplier<String> slowness = this::slowness;

  /** The maintenance of a partition, not yet started. */
  public static Maintenance of(MaintenanceSetup setup, ReplicaCheckpointAgreement replicas) {
    return new Maintenance(setup, replicas);
  }

  private Maintenance(MaintenanceSetup setup, ReplicaCheckpointAgreement replicas) {
    MaintenanceSetup.Components components = setup.components();
    MaintenanceSetup.Times times = setup.times();
    MaintenanceSetup.Settings settings = setup.settings();
    CheckpointPolicy policy = settings.policy();
    this.checkpointer =
        new Checkpointer(
            components.index(),
            components.materializer(),
            components.checkpoints(),
            components.horizon(),
            new PageSizes(policy.pagedFromBytes()),
            times,
            replicas,
            this::sync);
    this.truncator =
        new Truncator(
            components,
            setup.needs(),
            times.machine(),
            policy.retention(),
            times.clockCeiling(),
            this::sync);
    this.checkpoints = components.checkpoints();
    this.journal = components.journal();
    this.interval = policy.interval();
    this.backlog = new CheckpointBacklog(settings, components.materializer().states());
    this.replicas = replicas;
    this.lastDurable = times.lastDurable();
    this.watermarks = times.watermarks();
    String name = Integer.toString(settings.partition());
    this.merger = new Merger(components.checkpoints(), this::truncate, name, settings.faults());
    components.materializer().states().whenReleased(merger.requests());
    this.thread = new SupervisedThread("checkpoint-" + name, this::run, settings.faults());
  }

  /**
   * Sets what syncs the journal where durable records may not be synced; before {@link #start}.
   *
   * @param action returns once all previously durable records are synced
   */
  public void syncsBy(Runnable action) {
    sync = action;
  }

  private void sync() {
    sync.run();
  }

  /** Starts the threads. */
  public void start() {
    thread.start();
    merger.start();
    backlog.open();
  }

  /**
   * The number of effects that one on an object counts as: a long name takes as much memory as
   * several.
   */
  public static int weight(Bytes id) {
    return 1 + id.length() / CheckpointBacklog.EFFECT_BYTES;
  }

  /**
   * Counts a committed group.
   *
   * @param groupEffects by their {@link #weight}
   */
  public void committed(long groupBytes, long groupEffects) {
    if (backlog.add(groupBytes, groupEffects)) {
      lock.lock();
      try {
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Waits while too much is in no checkpoint. Ignores interrupts and keeps the interrupt flag.
   *
   * @throws io.github.stablecut.error.CheckpointBacklogException if checkpoints do not catch up in
   *     time
   */
  public void awaitCapacity() {
    backlog.awaitRoom(slowness);
  }

  /** Whether {@link #awaitCapacity} would not wait. */
  public boolean hasCapacity() {
    return !backlog.isFull();
  }

  private String slowness() {
    lock.lock();
    try {
      return failure
          .map(why -> "the last checkpoint failed (" + why.getMessage() + ")")
          .orElse("checkpoints take longer than the writes that they have to include");
    } finally {
      lock.unlock();
    }
  }

  /** The number of failed checkpoints since the last success. */
  public int failures() {
    lock.lock();
    try {
      return failures;
    } finally {
      lock.unlock();
    }
  }

  /** The failures that are being retried, one sentence each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    lock.lock();
    try {
      failure.ifPresent(
          why ->
              problems.add(
                  "the last %,d checkpoints failed and are retried: %s"
                      .formatted(failures, why.getMessage())));
    } finally {
      lock.unlock();
    }
    merger.problem().ifPresent(problems::add);
    if (backlog.isFull()) {
      problems.add(backlog.problem(slowness()));
    }
    return problems;
  }

  /**
   * Makes a checkpoint now, truncates, and waits for both.
   *
   * @throws StablecutException if it fails; the store continues with the checkpoints it has
   * @throws StoreClosedException if the store is closed before it begins
   */
  public void checkpoint() {
    lock.lock();
    try {
      long ownRequest = ++requested;
      changed.signalAll();
      while (done < ownRequest && !(closing && !busy)) {
        changed.awaitUninterruptibly();
      }
      if (done < ownRequest) {
        throw new StoreClosedException(
            "the store was closed before the checkpoint was made: open it again");
      }
      if (succeeded < ownRequest) {
        throw failure.orElseThrow();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Finishes a checkpoint in progress, drops a merge, and starts nothing until {@link #resume}, so
   * that no file changes meanwhile. Not for the thread that holds a {@link #pause}.
   */
  public void suspend() {
    merger.suspend();
    lock.lock();
    try {
      suspended = true;
      while (busy) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Reverts {@link #suspend}. */
  public void resume() {
    lock.lock();
    try {
      suspended = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    merger.resume();
  }

  private void run() {
    while (true) {
      long serving = awaitWork();
      if (serving < 0) {
        return;
      }
      try {
        Optional<StablecutException> outcome = tried(this::checkpointAndTruncate);
        merger.request();
        served(serving, outcome);
      } finally {
        rest();
      }
    }
  }

  private void served(long serving, Optional<StablecutException> outcome) {
    lock.lock();
    try {
      done = serving;
      failure = outcome;
      if (outcome.isEmpty()) {
        succeeded = serving;
        failures = 0;
        unfinished = truncator.isBehind();
        backlog.covered();
      } else {
        long pauseNanos = FIRST_RETRY_NANOS << Math.min(failures, MAX_RETRY_SHIFT);
        retryAtNanos = System.nanoTime() + pauseNanos;
        failures++;
      }
    } finally {
      lock.unlock();
    }
  }

  /** After an attempt, successful or not: wakes waiters, leaves the rest to the next checkpoint. */
  private void rest() {
    lock.lock();
    try {
      busy = false;
      backlog.uncovered();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until there is work.
   *
   * @return the last request that the work will serve; negative after {@link #close}
   */
  private long awaitWork() {
    lock.lock();
    try {
      long deadlineNanos = System.nanoTime() + interval.toNanos();
      for (long left = left(deadlineNanos); !closing && left > 0; left = left(deadlineNanos)) {
        try {
          changed.awaitNanos(left);
        } catch (InterruptedException e) {
          // Only close ends the thread, by the flag.
        }
      }
      if (closing) {
        return -1;
      }
      backlog.begin();
      busy = true;
      return requested;
    } finally {
      lock.unlock();
    }
  }

  /** The nanoseconds until there is work, if nothing changes. */
  @GuardedBy("lock")
  private long left(long deadlineNanos) {
    if (suspended) {
      return Long.MAX_VALUE;
    }
    if (requested > done) {
      return 0;
    }
    if (backlog.isDue() || failures > 0) {
      return retryAtNanos - System.nanoTime();
    }
    return backlog.isEmpty() && !unfinished ? Long.MAX_VALUE : deadlineNanos - System.nanoTime();
  }

  /** Makes a checkpoint, truncates and merges runs, on the caller's thread. */
  public Optional<StablecutException> work() {
    return tried(
        () -> {
          checkpointAndTruncate();
          merger.mergeAll();
        });
  }

  private void checkpointAndTruncate() {
    long written;
    working.lock();
    try {
      // First frees space: a checkpoint needs some, and may fail on a full disk.
      truncator.truncate();
      Optional<Checkpoint> announced = replicas.announced();
      if (announced.isPresent()) {
        written = checkpointer.follow(announced.get());
      } else {
        written = checkpointer.write(lastDurable.get());
        // Not on a follower, whose leader may cut off records.
        journal.markSynced();
      }
      truncator.truncate();
      replicas.announceTruncation();
    } finally {
      working.unlock();
    }
    LOG.debug("checkpoint of {} objects: {}", written, watermarks.get());
  }

  private Optional<StablecutException> tried(Runnable work) {
    return CheckpointAttempt.failure(work, checkpointer::isAbandoned);
  }

  /** The progress of the current merge. */
  public MergeProgress merge() {
    return merger.progress();
  }

  private void truncate() {
    working.lock();
    try {
      truncator.truncate();
    } finally {
      working.unlock();
    }
  }

  /**
   * Waits for a checkpoint in progress, and prevents further ones until the pause is closed; runs
   * may be merged.
   */
  public Pause pause() {
    working.lock();
    return new Pause();
  }

  /** A pause of checkpoints. Confined to the thread that requested it. */
  public final class Pause implements AutoCloseable {
    private Pause() {}

    /**
     * Makes a checkpoint, unless an equal one exists.
     *
     * @param at a vector that has been reached, and is not below the newest checkpoint
     * @return the checkpoints, of which the newest equals the snapshot at the vector; the caller
     *     closes them
     */
    public CheckpointView checkpointAt(VectorClock at) {
      // Nothing was committed between the last commit and the vector.
      long written = checkpointer.write(at.meet(lastDurable.get()));
      LOG.debug("checkpoint of {} objects at {}", written, at);
      return checkpoints.view();
    }

    @Override
    public void close() {
      working.unlock();
    }
  }

  /**
   * Writes a checkpoint and truncates on the caller's thread, and merges runs on a thread that the
   * first call starts. Used instead of {@link #start} where another replica leads.
   */
  public Optional<StablecutException> follow() {
    Optional<StablecutException> failure = tried(this::checkpointAndTruncate);
    if (!merger.isStarted()) {
      merger.start();
    }
    merger.request();
    return failure;
  }

  /** Makes {@link #follow} abandon its checkpoint soon, until {@link #goOn}. */
  public void abandon() {
    checkpointer.abandon();
  }

  /** Reverts {@link #abandon}. */
  public void goOn() {
    checkpointer.resume();
  }

  /** Ends the threads, after finishing a checkpoint in progress and dropping a merge. */
  @Override
  public void close() {
    backlog.close();
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    thread.join();
    merger.close();
    pause().close();
  }
}
