package io.github.stablecut.journal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Commits the groups of a {@link Journal} under a {@link SyncPolicy}, on its own thread named
 * {@code journal-sync-} plus the journal's name, which it starts and joins. Any throwable on that
 * thread, including errors, fails the journal but not the thread, so waiting callers are notified.
 * Thread-safe.
 *
 * <p>Under {@link SyncPolicy.Batch} a caller may flush a group itself while the thread sleeps
 * ({@link #help}): a lone committer then needs no handover between threads.
 */
public final class GroupCommitter implements AutoCloseable {
  /** The result of {@link #step} if nothing is due until a record arrives. */
  static final long UNTIL_WOKEN = Long.MAX_VALUE;

  /** The maximum sleep while writing is held back. */
  private static final long HOLD_NANOS = 10_000_000;

  /** The pause after a failure, so that repeated failures don't occupy a processor. */
  private static final long PAUSE_NANOS = 10_000_000;

  private final Journal journal;
  private final SyncPolicy policy;
  private final LongSupplier nanoTime;

  /** Called when a record was written that has to be synced together with other journals. */
  private final Runnable whenUnsynced;

  private final Thread thread;

  /** Completes once everything appended is synced; null if no sync was requested. */
  private final AtomicReference<@Nullable CompletableFuture<Void>> pendingSync =
      new AtomicReference<>();

  private volatile boolean hasEnded;
  private volatile boolean closing;
  private volatile @Nullable Throwable closeFailure;

  /** The caller that flushes; null if none does. */
  private volatile @Nullable Thread helper;

  /**
   * The time at which the previous sync began, with the group policy. Confined to the flushing
   * thread.
   */
  private long previousSyncNanos;

  /**
   * The time at which the oldest unsynced record was written, with the periodic and joint policies.
   * Confined to the flushing thread.
   */
  private long oldestUnsyncedNanos;

  /**
   * The coverage of the last joint sync.
   *
   * @param next the number of the first record not covered
   * @param begunNanos a clock reading from before any such record was written
   */
  private record SyncCoverage(long next, long begunNanos) {}

  private volatile SyncCoverage covered;

  GroupCommitter(Journal journal, SyncPolicy policy, LongSupplier nanoTime) {
    this(journal, policy, nanoTime, () -> {});
  }

  GroupCommitter(Journal journal, SyncPolicy policy, LongSupplier nanoTime, Runnable whenUnsynced) {
    this.journal = journal;
    this.policy = policy;
    this.nanoTime = nanoTime;
    this.whenUnsynced = whenUnsynced;
    this.covered = new SyncCoverage(journal.nextRecord(), nanoTime.getAsLong());
    this.previousSyncNanos = nanoTime.getAsLong() - Long.MAX_VALUE / 2;
    this.oldestUnsyncedNanos = previousSyncNanos;
    this.thread = new Thread(this::run, "journal-sync-" + journal.name());
    thread.setDaemon(true);
  }

  /** Starts committing; {@link #close} stops it and closes the journal. */
  public static GroupCommitter start(Journal journal, SyncPolicy policy) {
    return start(journal, policy, () -> {});
  }

  /**
   * Like {@link #start(Journal, SyncPolicy)}, for a journal that is synced together with others.
   *
   * @param whenUnsynced called on the journal's thread when a record is written and all earlier
   *     ones are jointly synced; must return immediately
   */
  public static GroupCommitter start(Journal journal, SyncPolicy policy, Runnable whenUnsynced) {
    GroupCommitter committer = new GroupCommitter(journal, policy, System::nanoTime, whenUnsynced);
    committer.thread.start();
    return committer;
  }

  /** The journal whose groups this commits. */
  public Journal journal() {
    return journal;
  }

  private void run() {
    while (!closing) {
      try {
        commitUntilClosing();
      } catch (Throwable e) {
        journal.fail(e);
        LockSupport.parkNanos(this, PAUSE_NANOS);
      }
    }
    try {
      journal.close();
    } catch (Throwable e) {
      closeFailure = e;
    } finally {
      hasEnded = true;
      complete(pendingSync.getAndSet(null));
    }
  }

  /**
   * Writes and syncs everything appended before this call, under any policy.
   *
   * @return completes on the journal's thread once that is done, or with a {@link
   *     JournalFailedException} if the journal has failed
   */
  public CompletableFuture<Void> sync() {
    CompletableFuture<Void> result = new CompletableFuture<>();
    CompletableFuture<Void> shared =
        pendingSync.updateAndGet(other -> other == null ? result : other);
    LockSupport.unpark(thread);
    if (hasEnded) {
      complete(pendingSync.getAndSet(null));
    }
    return Objects.requireNonNull(shared);
  }

  /** Serves a pending {@link #sync}. */
  private void syncIfRequested() {
    CompletableFuture<Void> pending = pendingSync.getAndSet(null);
    if (pending != null) {
      try {
        journal.flushGroup();
      } finally {
        complete(pending);
      }
    }
  }

  private void complete(@Nullable CompletableFuture<Void> pending) {
    if (pending == null) {
      return;
    }
    try {
      journal.ensureNotFailed();
      Throwable failed = closeFailure;
      if (failed != null) {
        throw failed;
      }
      pending.complete(null);
    } catch (Throwable e) {
      pending.completeExceptionally(e);
    }
  }

  /**
   * Records that a joint sync with other journals has covered records of this one.
   *
   * @param next the number of the first record not covered
   * @param begunNanos a {@link System#nanoTime} before that record was appended
   */
  public void synced(long next, long begunNanos) {
    covered = new SyncCoverage(next, begunNanos);
    LockSupport.unpark(thread);
  }

  /** Whether a written record is not covered by a joint sync with other journals. */
  public boolean isUnsynced() {
    return !journal.hasFailed() && journal.nextRecord() > covered.next();
  }

  /**
   * A method of its own, so that {@link #run} also catches a fault in mapped memory that the JVM
   * reports late.
   */
  private void commitUntilClosing() {
    while (!closing) {
      journal.retryAnnounce();
      pause(step());
    }
  }

  /**
   * Ensures that appended records are flushed, including those of other callers. Flushes on the
   * caller's thread if no thread flushes and one write and one sync suffice; otherwise wakes the
   * journal's thread. Must be called after appending a record on which {@link
   * PendingRecord#promiseHelp} was called. An interrupt doesn't end the flush, and its flag stays
   * set. A failure fails the journal and is reported through the {@link GroupListener}.
   */
  public void help() {
    FlushTurn turn = journal.queue().turn();
    if (!turn.isFree() || !mayFlushHere() || !hasStack() || !turn.tryTake()) {
      turn.wake();
      return;
    }
    boolean isInterrupted = Thread.interrupted();
    boolean isDone = false;
    helper = Thread.currentThread();
    try {
      isDone = journal.tryFlushInPlace();
    } catch (Throwable e) {
      journal.fail(e);
    } finally {
      helper = null;
      turn.end(!isDone);
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Whether the caller's thread may wait for the disk on behalf of others. It may not with
   * replicas, whose network may be slow, nor if it is virtual, because it would pin its carrier.
   */
  private boolean mayFlushHere() {
    return policy instanceof SyncPolicy.Batch
        && journal.replicas() == LogReplicas.NONE
        && !VirtualThreads.isCurrent();
  }

  /** A stack overflow during a flush would fail the journal for all callers. */
  private static boolean hasStack() {
    try {
      StackGuard.require();
      return true;
    } catch (StackOverflowError e) {
      return false;
    }
  }

  /** Sleeps, unless it was woken meanwhile: a lock since then may have taken the permit. */
  private void pause(long nanos) {
    if (closing || pendingSync.get() != null) {
      return;
    }
    boolean isHolding = policy instanceof SyncPolicy.Group || policy instanceof SyncPolicy.Joint;
    if (nanos > 0 && isHolding && nanos != UNTIL_WOKEN) {
      LockSupport.parkNanos(this, nanos);
    } else if (nanos > 0) {
      journal.queue().await(nanos);
    }
  }

  /**
   * Performs the work that is due.
   *
   * @return the nanoseconds until the next work is due; {@link #UNTIL_WOKEN} if nothing is due
   *     until a record arrives
   */
  @CanIgnoreReturnValue
  long step() {
    syncIfRequested();
    if (policy instanceof SyncPolicy.Joint joint) {
      return stepJoint(joint.interval().toNanos());
    }
    if (policy instanceof SyncPolicy.Periodic periodic) {
      return stepPeriodic(periodic.interval().toNanos());
    }
    if (!journal.hasQueued()) {
      return UNTIL_WOKEN;
    }
    if (policy instanceof SyncPolicy.Group group) {
      long nowNanos = nanoTime.getAsLong();
      long left = previousSyncNanos + group.window().toNanos() - nowNanos;
      if (left > 0) {
        return left;
      }
      previousSyncNanos = nowNanos;
    }
    journal.flushGroup();
    return 0;
  }

  /**
   * Syncs before committing when a sync is due, so no record is announced while a sync is overdue.
   */
  private long stepPeriodic(long interval) {
    boolean hadUnsynced = journal.hasUnsynced();
    if (hadUnsynced && oldestUnsyncedNanos + interval - nanoTime.getAsLong() <= 0) {
      journal.sync();
      hadUnsynced = false;
    }
    journal.writeGroup();
    if (!journal.hasUnsynced()) {
      return UNTIL_WOKEN;
    }
    long nowNanos = nanoTime.getAsLong();
    if (!hadUnsynced) {
      oldestUnsyncedNanos = nowNanos;
    }
    return Math.max(0, oldestUnsyncedNanos + interval - nowNanos);
  }

  /** Commits, unless earlier records have waited too long for a joint sync. */
  private long stepJoint(long interval) {
    boolean wasUnsynced = isUnsynced();
    if (wasUnsynced) {
      long oldest = Math.max(oldestUnsyncedNanos - covered.begunNanos(), 0) + covered.begunNanos();
      if (nanoTime.getAsLong() - oldest > interval + interval / 2) {
        return HOLD_NANOS;
      }
    }
    journal.writeGroup();
    if (!wasUnsynced && isUnsynced()) {
      oldestUnsyncedNanos = nanoTime.getAsLong();
      whenUnsynced.run();
    }
    return UNTIL_WOKEN;
  }

  /** Whether a thread is inside a flush, so it must not wait for the flush to end. */
  private boolean isFlushing(Thread current) {
    return current == thread || current == helper;
  }

  /** Commits and syncs the queued records, closes the journal and ends the thread. */
  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive() && !isFlushing(Thread.currentThread())) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    Throwable failed = closeFailure;
    if (failed instanceof Error error) {
      throw error;
    }
    if (failed instanceof RuntimeException exception) {
      throw exception;
    }
    journal.close();
  }
}
