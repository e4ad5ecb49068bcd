package io.github.stablecut.journal;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
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

  /** How long the thread sleeps at most while it may write nothing. */
  private static final long HOLD_NANOS = 10_000_000;

  /** So that what fails again and again does not take a processor. */
  private static final long PAUSE_NANOS = 10_000_000;

  private final Journal journal;
  private final SyncPolicy policy;
  private final LongSupplier nanoTime;

  /** Called when something was written that has to be synced together with other journals. */
  private final Runnable whenUnsynced;

  private final Thread thread;

  /** Completes once what was appended is synced; null if nobody has asked for that. */
  private final AtomicReference<@Nullable CompletableFuture<Void>> asked = new AtomicReference<>();

  private volatile boolean isEnded;
  private volatile boolean closing;
  private volatile @Nullable Throwable closeFailure;

  /** The caller who flushes; null if none does. */
  private volatile @Nullable Thread helper;

  /**
   * When the previous sync began (group), or the oldest unsynced record was written (periodic,
   * joint). Confined to the flushing thread.
   */
  private long mark;

  /**
   * What the last joint sync covers.
   *
   * @param next the number of the first record that it does not cover
   * @param begun before any such record was written, by the clock
   */
  private record Covered(long next, long begun) {}

  private volatile Covered covered;

  GroupCommitter(Journal journal, SyncPolicy policy, LongSupplier nanoTime) {
    this(journal, policy, nanoTime, () -> {});
  }

  GroupCommitter(Journal journal, SyncPolicy policy, LongSupplier nanoTime, Runnable whenUnsynced) {
    this.journal = journal;
    this.policy = policy;
    this.nanoTime = nanoTime;
    this.whenUnsynced = whenUnsynced;
    this.covered = new Covered(journal.nextRecord(), nanoTime.getAsLong());
    this.mark = nanoTime.getAsLong() - Long.MAX_VALUE / 2;
    this.thread = new Thread(this::run, "journal-sync-" + journal.name());
    thread.setDaemon(true);
  }

  /** Starts committing; {@link #close} ends it and closes the journal. */
  public static GroupCommitter start(Journal journal, SyncPolicy policy) {
    return start(journal, policy, () -> {});
  }

  /**
   * As {@link #start(Journal, SyncPolicy)}, for a journal that is synced together with others.
   *
   * @param whenUnsynced called on the journal's thread when a record was written and all before it
   *     were synced together; has to return at once
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
      isEnded = true;
      answer(asked.getAndSet(null));
    }
  }

  /**
   * Has what was appended before this call written and synced, under any policy.
   *
   * @return completes once it is, on the journal's thread; with a {@link JournalFailedException} if
   *     the journal has failed
   */
  public CompletableFuture<Void> sync() {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    CompletableFuture<Void> shared = asked.updateAndGet(other -> other == null ? mine : other);
    LockSupport.unpark(thread);
    if (isEnded) {
      answer(asked.getAndSet(null));
    }
    return Objects.requireNonNull(shared);
  }

  /** Does what {@link #sync} was called for. */
  private void syncIfAsked() {
    CompletableFuture<Void> pending = asked.getAndSet(null);
    if (pending != null) {
      try {
        journal.flushGroup();
      } finally {
        answer(pending);
      }
    }
  }

  private void answer(@Nullable CompletableFuture<Void> pending) {
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
   * Takes note that records were synced together with those of other journals.
   *
   * @param next the number of the first record that was not
   * @param begun a {@link System#nanoTime} before that record was appended
   */
  public void synced(long next, long begun) {
    covered = new Covered(next, begun);
    LockSupport.unpark(thread);
  }

  /** Whether something is written that was not synced together with other journals. */
  public boolean isUnsynced() {
    return !journal.hasFailed() && journal.nextRecord() > covered.next();
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
        && journal.replicas() == LogReplicas.NONE
        && !VirtualThreads.isCurrent();
  }

  /** Without enough of it a flush would fail the journal, for all. */
  private static boolean hasStack() {
    try {
      long unused = StackGuard.require();
      return true;
    } catch (StackOverflowError e) {
      return false;
    }
  }

  private void pause(long nanos) {
    if (asked.get() != null) {
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
   * Does what is due now.
   *
   * @return how many nanoseconds nothing will be due, {@link #UNTIL_WOKEN} if only a new record
   *     changes that
   */
  long step() {
    syncIfAsked();
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

  /** Commits, unless what was written before has waited for too long to be synced. */
  private long stepJoint(long interval) {
    boolean wasUnsynced = isUnsynced();
    if (wasUnsynced) {
      long oldest = Math.max(mark - covered.begun(), 0) + covered.begun();
      if (nanoTime.getAsLong() - oldest > interval + interval / 2) {
        return HOLD_NANOS;
      }
    }
    journal.writeGroup();
    if (!wasUnsynced && isUnsynced()) {
      mark = nanoTime.getAsLong();
      whenUnsynced.run();
    }
    return UNTIL_WOKEN;
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
