package io.github.stablecut.internal.partition;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.partition.commit.Sequencer;
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
 * they are synced ({@link SyncPolicy.Joint}). Syncs once per interval if something was written, and
 * before a checkpoint or a truncation relies on the journals. Thread-safe.
 *
 * <p>A joint sync notes the end of each journal while it holds all commit locks, syncs all journals
 * up to there, and writes the ends durably into {@link SyncedFile}. A record is appended after all
 * records that it depends on, on any partition. So the records before the noted ends are what a
 * kill at that moment would leave, and the usual recovery applies.
 *
 * <p>Invariant: nothing else that is durable relies on records after the ends in the file.
 *
 * <p>If a journal or the file fails, all journals fail, as they can no longer be synced together.
 */
public final class JointSync implements AutoCloseable {
  private final List<Partition> partitions;
  private final List<Sequencer> sequencers;
  private final SyncedFile file;
  private final long intervalNanos;
  private final SupervisedThread thread;

  /** Held during a joint sync, and until all partitions are started. */
  private final ReentrantLock working = new ReentrantLock();

  /** The number of joint syncs begun. */
  private final AtomicLong startedSyncs = new AtomicLong();

  /** The number of the last completed joint sync. Guarded by {@link #working}. */
  private long done;

  /** The ends in the file. Guarded by {@link #working}. */
  private long[] covered = {};

  /** Whether records may exist after the ends in the file. */
  private volatile boolean isDue;

  private volatile long dueSinceNanos;
  private volatile boolean isClosing;

  /**
   * Creates a joint sync that is not started.
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
   * Writes the current ends of the journals, which their opening has synced, and starts the
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

  /** Notes that a partition has written records that no joint sync covers. */
  void written() {
    if (!isDue) {
      dueSinceNanos = System.nanoTime();
      isDue = true;
      thread.unpark();
    }
  }

  private void run() {
    while (!isClosing) {
      long remainingNanos =
          isDue ? dueSinceNanos + intervalNanos - System.nanoTime() : Long.MAX_VALUE;
      if (remainingNanos > 0) {
        LockSupport.parkNanos(this, remainingNanos);
      } else {
        syncWhenDue();
      }
    }
  }

  /** Syncs; a failure fails the journals, which report it. */
  private void syncWhenDue() {
    try {
      sync();
    } catch (StablecutException e) {
      isDue = false;
    }
  }

  /**
   * Syncs all journals together; returns when everything that was appended before this call is
   * covered.
   *
   * @throws StablecutException if that fails; then all journals have failed
   */
  public void sync() {
    long before = startedSyncs.get();
    working.lock();
    try {
      // A joint sync begun after this call covers it.
      if (done <= before) {
        syncNow();
      }
    } finally {
      working.unlock();
    }
  }

  private void syncNow() {
    long number = startedSyncs.incrementAndGet();
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

  /**
   * Schedules another sync for records written meanwhile: only the first unsynced record calls
   * {@link #written}.
   */
  private void checkDue(long sinceNanos) {
    if (partitions.stream().anyMatch(Partition::isUnsynced)) {
      dueSinceNanos = sinceNanos;
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
    IOException cause = new IOException("the joint sync of the partitions failed (" + reason + ")");
    sequencers.forEach(sequencer -> sequencer.fail(cause));
  }

  /** Creates the exception for a failure of the file. */
  public static StoreIoException failed(IOException cause) {
    return new StoreIoException(
        "the file %s can't be changed: %s; remove the cause, and open the store again"
            .formatted(SyncedFile.FILE, IoReason.of(cause)),
        cause);
  }

  /** Ends the thread. Called after the partitions were closed. */
  @Override
  public void close() {
    isClosing = true;
    thread.unpark();
    if (thread.isStarted()) {
      thread.join();
    }
  }

  /**
   * Deletes the file if no journal has failed: closing them has synced everything. Called after
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
