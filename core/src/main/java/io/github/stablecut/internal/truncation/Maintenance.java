package io.github.stablecut.internal.truncation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointDroppedException;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.View;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.materializer.Materializer;
import io.github.stablecut.internal.thread.Faults;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.option.CheckpointPolicy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes checkpoints when they are due or asked for, and truncates after each, on a thread of its
 * own that it starts and joins; has runs merged beside that. What fails is tried again, after a
 * pause that grows: the store goes on with the checkpoints it has, and holds writers back when too
 * much is in none ({@link CheckpointBacklog}). Thread-safe.
 */
public final class Maintenance implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

  /** A failed checkpoint is tried again after a second, then after two, up to about a minute. */
  private static final long FIRST_RETRY_NANOS = 1_000_000_000;

  private static final int MAX_RETRY_SHIFT = 6;

  private final Checkpointer checkpointer;
  private final Truncator truncator;
  private final CheckpointStore checkpoints;
  private final Journal journal;
  private final Merger merger;
  private final Duration interval;
  private final CheckpointBacklog backlog;
  private final Supplier<VectorClock> lastDurable;
  private final Supplier<Watermarks> watermarks;
  private final SupervisedThread thread;

  /** Whoever writes a checkpoint or truncates has it. */
  private final ReentrantLock working = new ReentrantLock();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** The number of calls for a checkpoint. */
  @GuardedBy("lock")
  private long requested;

  /** Calls up to this one were served. */
  @GuardedBy("lock")
  private long done;

  /** Calls up to this one have their checkpoint. */
  @GuardedBy("lock")
  private long succeeded;

  /** Why the last one failed; empty if it did not. */
  @GuardedBy("lock")
  private Optional<StablecutException> failure = Optional.empty();

  /** How many have failed since the last that did not. */
  @GuardedBy("lock")
  private int failures;

  /** Nobody but a caller has one made before this time of {@link System#nanoTime}. */
  @GuardedBy("lock")
  private long retryAt = System.nanoTime();

  /** Whether there is work though nothing was committed: it waits for the retention. */
  @GuardedBy("lock")
  private boolean unfinished;

  @GuardedBy("lock")
  private boolean closing;

  @GuardedBy("lock")
  private boolean suspended;

  @GuardedBy("lock")
  private boolean busy;

  /**
   * How far a merge of checkpoint files is.
   *
   * @param writtenBytes what it has written so far
   * @param atMostBytes what it can write; 0 if none goes on
   */
  public record Merge(long writtenBytes, long atMostBytes) {
    static final Merge NONE = new Merge(0, 0);
  }

  /** What of a partition is worked on. */
  public record Parts(
      ObjectIndex index,
      Materializer materializer,
      CheckpointStore checkpoints,
      Journal journal,
      SegmentTimes segments,
      Horizon horizon) {}

  /**
   * Where times come from.
   *
   * @param lastDurable the vector of the last durable commit
   * @param clockCeiling a time above all that the clock may have told
   * @param watermarks checks the invariants whenever it is asked
   * @param machine the machine's clock
   */
  public record Times(
      Supplier<VectorClock> lastDurable,
      LongSupplier clockCeiling,
      Supplier<Watermarks> watermarks,
      InstantSource machine) {}

  /**
   * What the journal has to keep beside the commits that no checkpoint has.
   *
   * @param oldestNeeded the position of the oldest record of a transaction that is not over, or the
   *     greatest number
   * @param save writes down again what is spread over segments that may go, and is given the new
   *     low watermark
   */
  public record Needs(LongSupplier oldestNeeded, Consumer<VectorClock> save) {}

  /**
   * How it works.
   *
   * @param partition the partition's number, behind {@code checkpoint-} in the thread's name
   * @param longestWait how long a writer is held back before it is refused
   * @param heapBytes the memory that all partitions of the process share
   * @param faults is told what the threads survive
   */
  public record Setup(
      int partition,
      CheckpointPolicy policy,
      Duration longestWait,
      long heapBytes,
      Faults faults) {}

  /** The maintenance of a partition, not yet started. */
  public static Maintenance of(Parts parts, Times times, Needs needs, Setup setup) {
    return new Maintenance(parts, times, needs, setup);
  }

  private Maintenance(Parts parts, Times times, Needs needs, Setup setup) {
    CheckpointPolicy policy = setup.policy;
    this.checkpointer =
        new Checkpointer(
            parts.index, parts.materializer, parts.checkpoints, parts.horizon, times.clockCeiling);
    this.truncator =
        new Truncator(parts, needs, times.machine, policy.retention(), times.clockCeiling);
    this.checkpoints = parts.checkpoints;
    this.journal = parts.journal;
    this.interval = policy.interval();
    this.backlog =
        new CheckpointBacklog(setup.partition, policy, setup.longestWait, setup.heapBytes);
    this.lastDurable = times.lastDurable;
    this.watermarks = times.watermarks;
    String name = Integer.toString(setup.partition);
    this.merger = new Merger(parts.checkpoints, this::truncate, name, setup.faults);
    this.thread = new SupervisedThread("checkpoint-" + name, this::run, setup.faults);
  }

  /** Starts the threads. */
  public void start() {
    thread.start();
    merger.start();
    backlog.open();
  }

  /** Takes account of a committed group. */
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
   * Waits while too much is in memory that no checkpoint has. An interrupt does not end the wait;
   * its flag stays set.
   *
   * @throws io.github.stablecut.error.CheckpointBacklogException if checkpoints did not catch up in
   *     time
   */
  public void awaitCapacity() {
    backlog.awaitRoom(this::slowness);
  }

  private String slowness() {
    lock.lock();
    try {
      return failure
          .map(why -> "the last checkpoint failed (" + why.getMessage() + ")")
          .orElse("checkpoints take longer than writing what they have to hold");
    } finally {
      lock.unlock();
    }
  }

  /** What does not work as it should and is tried again, one sentence each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    lock.lock();
    try {
      failure.ifPresent(
          why ->
              problems.add(
                  "the last %,d checkpoints failed and are tried again: %s"
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
   * @throws StablecutException if it failed; the store goes on with the checkpoints it has
   * @throws StoreClosedException if the store was closed before it was begun
   */
  public void checkpoint() {
    lock.lock();
    try {
      long mine = ++requested;
      changed.signalAll();
      while (done < mine && !(closing && !busy)) {
        changed.awaitUninterruptibly();
      }
      if (done < mine) {
        throw new StoreClosedException(
            "the store was closed before the checkpoint was made: open it again");
      }
      if (succeeded < mine) {
        throw failure.orElseThrow();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Finishes a checkpoint that is being made, drops a merge, and begins nothing until {@link
   * #resume}: all files stay as they are meanwhile. Not for the thread that has a {@link #pause}.
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

  /** Ends what {@link #suspend} began. */
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
        long pause = FIRST_RETRY_NANOS << Math.min(failures, MAX_RETRY_SHIFT);
        retryAt = System.nanoTime() + pause;
        failures++;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whatever came of it: who waits looks, and what is not in a checkpoint waits for the next. */
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
   * Waits until there is something to do.
   *
   * @return the last request that will be served; below 0 at the end
   */
  private long awaitWork() {
    lock.lock();
    try {
      long deadline = System.nanoTime() + interval.toNanos();
      for (long left = left(deadline); !closing && left > 0; left = left(deadline)) {
        try {
          var unused = changed.awaitNanos(left);
        } catch (InterruptedException e) {
          // Only close ends the thread, and it says so in the flag.
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

  /** After how many nanoseconds there is something to do, if nothing changes. */
  @GuardedBy("lock")
  private long left(long deadline) {
    if (suspended) {
      return Long.MAX_VALUE;
    }
    if (requested > done) {
      return 0;
    }
    if (backlog.isDue() || failures > 0) {
      return retryAt - System.nanoTime();
    }
    return backlog.isEmpty() && !unfinished ? Long.MAX_VALUE : deadline - System.nanoTime();
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
      // First frees what it can: a checkpoint needs room, and on a full disk it may fail.
      truncator.truncate();
      written = checkpointer.write(lastDurable.get());
      journal.noteSynced();
      truncator.truncate();
    } finally {
      working.unlock();
    }
    LOG.debug("checkpoint of {} objects: {}", written, watermarks.get());
  }

  private static Optional<StablecutException> tried(Runnable work) {
    try {
      work.run();
      return Optional.empty();
    } catch (CheckpointDroppedException e) {
      LOG.warn("a checkpoint failed and is tried again after a pause: {}", e.getMessage());
      return Optional.of(e);
    } catch (StablecutException e) {
      LOG.error("checkpointing failed; the store goes on with the journal alone", e);
      return Optional.of(e);
    } catch (Throwable e) {
      LOG.error("checkpointing failed; the store goes on with the journal alone", e);
      return Optional.of(UnexpectedFailureException.of("a checkpoint failed", e));
    }
  }

  /** How far the merge is that goes on. */
  public Merge merge() {
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
   * Waits until no checkpoint is being made, and keeps others from being made meanwhile; runs may
   * be merged.
   */
  public Pause pause() {
    working.lock();
    return new Pause();
  }

  /** A time without other checkpoints. Confined to the thread that asked for it. */
  public final class Pause implements AutoCloseable {
    private Pause() {}

    /**
     * Makes a checkpoint, unless there is one that has the same.
     *
     * @param at a vector that has been reached, and is not below the newest checkpoint
     * @return the checkpoints, of which the newest has what a snapshot at the vector sees, and
     *     nothing else; to be closed
     */
    public View checkpointAt(VectorClock at) {
      // Behind the last commit there is nothing up to the vector that could be missed.
      long written = checkpointer.write(at.meet(lastDurable.get()));
      LOG.debug("checkpoint of {} objects at {}", written, at);
      return checkpoints.view();
    }

    @Override
    public void close() {
      working.unlock();
    }
  }

  /** Ends the threads; a checkpoint that is being written is finished first, a merge is dropped. */
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
