package io.github.stablecut.internal.partition;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.recovery.SyncedFile;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.journal.SyncPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Syncs the journals of all partitions of a store together, where commits are acknowledged before
 * they are synced ({@link SyncPolicy.Joint}): once per interval if something was written, and
 * whenever a checkpoint or a truncation is about to rely on what is in the journals. Thread-safe.
 *
 * <p>A joint sync notes the end of each journal at one moment, at which it holds all commit locks,
 * syncs all journals up to there, and writes the ends into {@link SyncedFile}, durably. A record is
 * appended after all those that it depends on, on whichever partition these are. So what is before
 * the noted ends is what a kill at that moment would have left, and the recovery from it is the
 * ordinary one.
 *
 * <p>Invariant: whatever else is durable relies on nothing behind the ends in the file.
 *
 * <p>If a journal or the file fails, all journals fail: none could be synced together with the
 * others any more.
 */
public final class JointSync implements AutoCloseable {
  private final List<Partition> partitions;
  private final List<Sequencer> sequencers;
  private final SyncedFile file;
  private final long intervalNanos;
  private final SupervisedThread thread;

  /** Held during a joint sync, and until all partitions are started. */
  private final ReentrantLock working = new ReentrantLock();

  /** How many joint syncs were begun. */
  private final AtomicLong begun = new AtomicLong();

  /** The last one that is done. Guarded by {@link #working}. */
  private long done;

  /** The ends in the file. Guarded likewise. */
  private long[] covered = {};

  /** Whether something may be behind the ends in the file, and since when. */
  private volatile boolean isDue;

  private volatile long dueSince;
  private volatile boolean isClosing;

  /**
   * Not started.
   *
   * @param partitions by number, not started
   * @param faults records the errors that the thread survives
   */
  public JointSync(
      List<Partition> partitions, SyncedFile file, Duration interval, FaultLog faults) {
    this.partitions = List.copyOf(partitions);
    this.sequencers = partitions.stream().map(Partition::sequencer).toList();
    this.file = file;
    this.intervalNanos = interval.toNanos();
    this.thread = new SupervisedThread("joint-sync", this::run, faults);
  }

  /**
   * Begins with all that the journals have, which their opening has synced, and starts the
   * partitions.
   *
   * @throws StoreIoException if the file can't be written
   */
  public void start() {
    working.lock();
    try {
      long[] next =
          sequencers.stream().mapToLong(sequencer -> sequencer.journal().nextRecord()).toArray();
      file.write(next);
      covered = next;
      partitions.forEach(partition -> partition.start(this));
      thread.start();
    } catch (IOException e) {
      throw failed(e);
    } finally {
      working.unlock();
    }
  }

  /** A partition has written something that is not synced together with the others. */
  void written() {
    if (!isDue) {
      dueSince = System.nanoTime();
      isDue = true;
      thread.unpark();
    }
  }

  private void run() {
    while (!isClosing) {
      long left = isDue ? dueSince + intervalNanos - System.nanoTime() : Long.MAX_VALUE;
      if (left > 0) {
        LockSupport.parkNanos(this, left);
      } else {
        syncWhenDue();
      }
    }
  }

  /** A failure fails the journals, which tell everybody. */
  private void syncWhenDue() {
    try {
      sync();
    } catch (StablecutException e) {
      isDue = false;
    }
  }

  /**
   * Syncs all journals together; returns when all is covered that was appended before this call.
   *
   * @throws StablecutException if that fails; then all journals have failed
   */
  public void sync() {
    long before = begun.get();
    working.lock();
    try {
      // One that was begun after this call covers it.
      if (done <= before) {
        syncNow();
      }
    } finally {
      working.unlock();
    }
  }

  private void syncNow() {
    long number = begun.incrementAndGet();
    isDue = false;
    long time = System.nanoTime();
    long[] next = Sequencer.nextAppended(sequencers);
    if (!Arrays.equals(next, covered)) {
      try {
        syncJournals();
        file.write(next);
      } catch (IOException e) {
        failAll(IoReason.of(e));
        throw failed(e);
      } catch (StablecutException e) {
        failAll(String.valueOf(e.getMessage()));
        throw e;
      } catch (Throwable e) {
        failAll(e.toString());
        throw e;
      }
      covered = next;
      for (int i = 0; i < next.length; i++) {
        partitions.get(i).synced(next[i], time);
      }
      checkDue(time);
    }
    done = number;
  }

  /** What was written meanwhile was told to nobody: it did not come first. */
  private void checkDue(long since) {
    if (partitions.stream().anyMatch(Partition::isUnsynced)) {
      dueSince = since;
      isDue = true;
      thread.unpark();
    }
  }

  private void syncJournals() {
    CompletableFuture<?>[] all =
        partitions.stream().map(Partition::syncJournal).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(all).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof StablecutException known) {
        throw known;
      }
      throw e;
    }
  }

  private void failAll(String reason) {
    IOException cause =
        new IOException("the partitions could not be synced together (" + reason + ")");
    sequencers.forEach(sequencer -> sequencer.fail(cause));
  }

  /** The exception for a failure on the file. */
  public static StoreIoException failed(IOException cause) {
    return new StoreIoException(
        "the file %s can't be changed: %s; remove the cause, and open the store again"
            .formatted(SyncedFile.FILE, IoReason.of(cause)),
        cause);
  }

  /** Ends the thread. After the partitions were closed. */
  @Override
  public void close() {
    isClosing = true;
    thread.unpark();
    if (thread.isStarted()) {
      thread.join();
    }
  }

  /**
   * Deletes the file if no journal has failed: all of them was synced when they were closed. After
   * {@link #close}.
   *
   * @throws StoreIoException if that fails
   */
  public void endInOrder() {
    if (partitions.stream().allMatch(partition -> partition.failure().isEmpty())) {
      try {
        file.delete();
      } catch (IOException e) {
        throw failed(e);
      }
    }
  }
}
