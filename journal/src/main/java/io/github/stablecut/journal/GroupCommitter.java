package io.github.stablecut.journal;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Commits the groups of a {@link Journal} under a {@link SyncPolicy}, on a thread of its own called
 * {@code journal-sync-} and the journal's name, which it starts and joins. Whatever is thrown on
 * it, errors included, fails the journal and not the thread: who waits is told. Thread-safe.
 *
 * <p>Under {@link SyncPolicy.Batch} a caller may flush a group itself while the thread sleeps
 * ({@link #help}): who commits alone hands nothing over to another thread, and waits for none.
 */
public final class GroupCommitter implements AutoCloseable {
  /** What {@link #step} answers when only a new record changes anything. */
  static final long UNTIL_WOKEN = Long.MAX_VALUE;

  /** So that what fails again and again does not take a processor. */
  private static final long PAUSE_NANOS = 10_000_000;

  private final Journal journal;
  private final SyncPolicy policy;
  private final LongSupplier nanoTime;
  private final Thread thread;
  private volatile boolean closing;
  private volatile @Nullable Throwable closeFailure;

  /** The caller who flushes; null if none does. */
  private volatile @Nullable Thread helper;

  /**
   * When the previous sync began (group), or the oldest unsynced record was written (periodic).
   * Confined to the flushing thread.
   */
  private long mark;

  GroupCommitter(Journal journal, SyncPolicy policy, LongSupplier nanoTime) {
    this.journal = journal;
    this.policy = policy;
    this.nanoTime = nanoTime;
    this.mark = nanoTime.getAsLong() - Long.MAX_VALUE / 2;
    this.thread = new Thread(this::run, "journal-sync-" + journal.name());
    thread.setDaemon(true);
  }

  /** Starts committing; {@link #close} ends it and closes the journal. */
  public static GroupCommitter start(Journal journal, SyncPolicy policy) {
    GroupCommitter committer = new GroupCommitter(journal, policy, System::nanoTime);
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
    }
  }

  /** A method of its own, so that a fault in mapped memory that is reported late is caught too. */
  private void commitUntilClosing() {
    while (!closing) {
      journal.tellAgain();
      pause(step());
    }
  }

  /**
   * Sees to it that what was appended is flushed, the records of others included: on the caller's
   * thread if nobody flushes and it takes no more than a write and a sync, otherwise on the
   * journal's thread, which is woken. To be called after each record that {@link
   * PendingRecord#promiseHelp} was called for. An interrupt ends nothing, and its flag stays set;
   * what fails, fails the journal, and the {@link GroupListener} tells.
   */
  public void help() {
    FlushTurn turn = journal.queue().turn();
    if (!turn.isFree() || !mayFlushHere() || !hasStack() || !turn.take()) {
      turn.wake();
      return;
    }
    boolean isInterrupted = Thread.interrupted();
    boolean isDone = false;
    helper = Thread.currentThread();
    try {
      isDone = journal.flushIfPlain();
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
   * Whether the caller's thread is one that may wait for the disk for others: not with copies,
   * whose network may take long, and not a virtual one, which would hold its carrier meanwhile.
   */
  private boolean mayFlushHere() {
    return policy instanceof SyncPolicy.Batch
        && journal.copies() == LogCopies.NONE
        && !VirtualThreads.isCurrent();
  }

  /** Without enough of it a flush would fail the journal, for all. */
  private static boolean hasStack() {
    try {
      long unused = StackRoom.require();
      return true;
    } catch (StackOverflowError e) {
      return false;
    }
  }

  private void pause(long nanos) {
    if (nanos > 0 && policy instanceof SyncPolicy.Group && nanos != UNTIL_WOKEN) {
      LockSupport.parkNanos(this, nanos);
    } else if (nanos > 0) {
      journal.queue().await(nanos);
    }
  }

  /**
   * Does what is due now.
   *
   * @return how many nanoseconds nothing will be due, {@link #UNTIL_WOKEN} if only a new record
   *     changes that
   */
  long step() {
    if (policy instanceof SyncPolicy.Periodic periodic) {
      return stepPeriodic(periodic.interval().toNanos());
    }
    if (!journal.hasQueued()) {
      return UNTIL_WOKEN;
    }
    if (policy instanceof SyncPolicy.Group group) {
      long now = nanoTime.getAsLong();
      long left = mark + group.window().toNanos() - now;
      if (left > 0) {
        return left;
      }
      mark = now;
    }
    journal.flushGroup();
    return 0;
  }

  /** Syncs before it commits when a sync is due: nobody is told while the syncing is late. */
  private long stepPeriodic(long interval) {
    boolean hadUnsynced = journal.hasUnsynced();
    if (hadUnsynced && mark + interval - nanoTime.getAsLong() <= 0) {
      journal.sync();
      hadUnsynced = false;
    }
    journal.writeGroup();
    if (!journal.hasUnsynced()) {
      return UNTIL_WOKEN;
    }
    long now = nanoTime.getAsLong();
    if (!hadUnsynced) {
      mark = now;
    }
    return Math.max(0, mark + interval - now);
  }

  /** Whether a thread is in a flush now, so that it can't wait for the end of it. */
  private boolean isFlushing(Thread current) {
    return current == thread || current == helper;
  }

  /** Commits and syncs what is queued, closes the journal and ends the thread. */
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
