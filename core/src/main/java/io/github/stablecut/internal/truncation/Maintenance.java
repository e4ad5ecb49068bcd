package io.github.stablecut.internal.truncation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.CheckpointPolicy;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointDroppedException;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.View;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.materializer.Materializer;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.journal.Journal;
import java.time.InstantSource;
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
 * own that it starts and joins; has runs merged beside that. What fails is tried again later: the
 * store goes on with the checkpoints it has. Thread-safe.
 */
public final class Maintenance implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

  private final Checkpointer checkpointer;
  private final Truncator truncator;
  private final CheckpointStore checkpoints;
  private final Journal journal;
  private final Merger merger;
  private final CheckpointPolicy policy;
  private final Supplier<VectorClock> lastDurable;
  private final Supplier<Watermarks> watermarks;
  private final Thread thread;

  /** Whoever writes a checkpoint or truncates has it. */
  private final ReentrantLock working = new ReentrantLock();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private long bytes;

  @GuardedBy("lock")
  private long effects;

  @GuardedBy("lock")
  private long requested;

  @GuardedBy("lock")
  private long done;

  @GuardedBy("lock")
  private Optional<StablecutException> failure = Optional.empty();

  /** Whether there is work though nothing was committed: it failed, or waits for the retention. */
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
   * The maintenance of a partition, not yet started.
   *
   * @param name what its thread is called behind {@code checkpoint-}
   */
  public static Maintenance of(
      Parts parts, Times times, Needs needs, CheckpointPolicy policy, String name) {
    return new Maintenance(parts, times, needs, policy, name);
  }

  private Maintenance(Parts parts, Times times, Needs needs, CheckpointPolicy policy, String name) {
    this.checkpointer =
        new Checkpointer(
            parts.index, parts.materializer, parts.checkpoints, parts.horizon, times.clockCeiling);
    this.truncator =
        new Truncator(parts, needs, times.machine, policy.retention(), times.clockCeiling);
    this.checkpoints = parts.checkpoints;
    this.journal = parts.journal;
    this.policy = policy;
    this.lastDurable = times.lastDurable;
    this.watermarks = times.watermarks;
    this.merger = new Merger(parts.checkpoints, this::truncate, name);
    this.thread = Threads.daemon("checkpoint-" + name, this::run);
  }

  /** Starts the threads. */
  public void start() {
    thread.start();
    merger.start();
  }

  /** Takes account of a committed group. */
  public void committed(long groupBytes, long groupEffects) {
    lock.lock();
    try {
      boolean wasDue = isDue();
      bytes += groupBytes;
      effects += groupEffects;
      if (isDue() != wasDue || effects == groupEffects) {
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private boolean isDue() {
    return bytes >= policy.journalBytes() || effects >= policy.effects();
  }

  /**
   * Makes a checkpoint now, truncates, and waits for both.
   *
   * @throws StablecutException if it failed; the store goes on with the checkpoints it has
   */
  public void checkpoint() {
    lock.lock();
    try {
      long mine = ++requested;
      changed.signalAll();
      while (done < mine && !closing) {
        changed.awaitUninterruptibly();
      }
      if (failure.isPresent()) {
        throw failure.get();
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
      Optional<StablecutException> outcome = tried(this::checkpointAndTruncate);
      merger.request();
      lock.lock();
      try {
        busy = false;
        done = serving;
        failure = outcome;
        unfinished = outcome.isPresent() || truncator.isBehind();
        changed.signalAll();
      } finally {
        lock.unlock();
      }
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
      long deadline = System.nanoTime() + policy.interval().toNanos();
      while (!closing && (suspended || (requested == done && !isDue()))) {
        long left = deadline - System.nanoTime();
        boolean isTimed = !suspended && (effects > 0 || unfinished);
        if (isTimed && left <= 0) {
          break;
        }
        try {
          var unused = changed.awaitNanos(isTimed ? left : Long.MAX_VALUE);
        } catch (InterruptedException e) {
          // Only close ends the thread, and it says so in the flag.
        }
      }
      bytes = 0;
      effects = 0;
      busy = !closing;
      return closing ? -1 : requested;
    } finally {
      lock.unlock();
    }
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
      journal.noteDurable();
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
      LOG.warn(
          "a checkpoint was dropped and is tried again when the next is due: {}", e.getMessage());
      return Optional.of(e);
    } catch (StablecutException e) {
      LOG.error("checkpointing failed; the store goes on with the journal alone", e);
      return Optional.of(e);
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
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    Threads.join(thread);
    merger.close();
    pause().close();
  }
}
