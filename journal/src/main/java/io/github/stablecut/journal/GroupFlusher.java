package io.github.stablecut.journal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.log.Log;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The group commit of a {@link Journal}: queues records, writes and syncs them by the group, and
 * tells the listener what became of them. Nothing that is thrown loses a group: its records are
 * durable or have failed, and the listener is told.
 *
 * <p>Thread-safe, except that {@link #flush}, {@link #flushIfPlain}, {@link #sync}, {@link
 * #tellAgain} and {@link #close} belong to one thread at a time, the flushing thread: whoever has
 * the {@link FlushTurn}, where a {@link GroupCommitter} flushes.
 */
final class GroupFlusher {
  private static final Logger LOG = Log.of(Journal.class);

  /** How often the listener is told of a group that has failed while it throws something. */
  private static final int ATTEMPTS = 10;

  private final String name;
  private final GroupListener listener;
  private final GroupWriter writer;
  private final DiskReserve disk;
  private final RecordQueue queue = new RecordQueue();
  private final QueueBound bound;
  private final GroupFigures figures = new GroupFigures();

  /** The sequence of the last frame that is durable under the {@link SyncPolicy}. */
  private volatile long lastDurable;

  /** The number behind that of the last record that is durable. */
  private volatile long nextRecord;

  private volatile LogReplicas replicas = LogReplicas.NONE;
  private volatile @Nullable JournalFailedException failure;

  /** Made before it is needed. */
  private final JournalFailedException outOfMemory;

  /** The group that the listener was not told of yet. Confined to the flushing thread. */
  private List<PendingRecord> untold = List.of();

  private int attempts;

  /** What was taken from the queue to be flushed by another thread. Confined likewise. */
  private List<PendingRecord> held = List.of();

  GroupFlusher(
      JournalOptions options, GroupListener listener, GroupWriter writer, DiskReserve disk) {
    this.name = options.name();
    this.listener = listener;
    this.writer = writer;
    this.disk = disk;
    this.bound = new QueueBound(options.queueBytes());
    this.lastDurable = writer.appended();
    this.nextRecord = writer.nextRecord();
    this.outOfMemory =
        JournalFailedException.because(
            name, "commits nothing more", new OutOfMemoryError("Java heap space"));
  }

  /** Queues a record; false if the journal is closed. */
  boolean append(PendingRecord pending) {
    bound.add(pending.length());
    boolean isQueued = queue.put(pending);
    if (!isQueued) {
      bound.remove(pending.length());
    }
    return isQueued;
  }

  /**
   * Blocks while more than the bound is not durable yet; returns if the journal fails or closes.
   */
  void awaitCapacity() throws InterruptedException {
    bound.await();
  }

  /** Whether {@link #awaitCapacity} would not block. */
  boolean hasCapacity() {
    return bound.hasRoom();
  }

  RecordQueue queue() {
    return queue;
  }

  /**
   * Writes what is queued, and tells the listener.
   *
   * @param sync whether to sync before
   * @return the number of records
   */
  @CanIgnoreReturnValue
  int flush(boolean sync) {
    return flush(hasHeld() ? takeHeld() : queue.drain(), sync);
  }

  /**
   * Writes and syncs what is queued, and tells the listener, if that takes no more than one chunk
   * in the current segment: then nothing but system calls is needed that no interrupt of the thread
   * ends. Otherwise it is held for the next {@link #flush}.
   *
   * @return whether it did
   */
  boolean flushIfPlain() {
    if (hasHeld()) {
      return false;
    }
    List<PendingRecord> group = queue.drain();
    if (group.isEmpty()) {
      return true;
    }
    if (!writer.isPlain(group)) {
      held = group;
      return false;
    }
    flush(group, true);
    return true;
  }

  private boolean hasHeld() {
    return !held.isEmpty();
  }

  private List<PendingRecord> takeHeld() {
    List<PendingRecord> taken = held;
    held = List.of();
    return taken;
  }

  /** Whether something is to be flushed. */
  boolean hasQueued() {
    return hasHeld() || !queue.isEmpty();
  }

  /** Flushes what is queued, and lets no more in. */
  void close() {
    tellUntilTold();
    try {
      flush(takeHeld(), true);
    } finally {
      tellUntilTold();
      closeQueue();
    }
  }

  private void closeQueue() {
    try {
      flush(queue.close(), true);
    } finally {
      tellUntilTold();
      bound.release();
    }
  }

  private void tellUntilTold() {
    while (failure != null && !untold.isEmpty()) {
      try {
        tellAgain();
      } catch (Throwable e) {
        // It is told again, or was told often enough.
      }
    }
  }

  @CanIgnoreReturnValue
  private int flush(List<PendingRecord> group, boolean sync) {
    if (group.isEmpty()) {
      if (sync) {
        sync();
      }
      return 0;
    }
    untold = group;
    attempts = 0;
    long bytes = bytesOf(group);
    if (failure == null) {
      write(group, bytes, sync);
    }
    tell(group);
    bound.remove(bytes);
    return group.size();
  }

  /** Without an iterator, which takes memory. */
  private static long bytesOf(List<PendingRecord> group) {
    long bytes = 0;
    for (int i = 0; i < group.size(); i++) {
      bytes += group.get(i).length();
    }
    return bytes;
  }

  private void write(List<PendingRecord> group, long bytes, boolean sync) {
    try {
      LogReplicas others = replicas;
      others.send(writer.nextRecord(), group);
      writer.append(group);
      if (sync) {
        writer.force();
      }
      others.await(writer.nextRecord());
      figures.add(group.size(), bytes);
      lastDurable = writer.appended();
      nextRecord = writer.nextRecord();
      disk.update();
    } catch (Throwable e) {
      fail(e);
    }
  }

  private void tell(List<PendingRecord> group) {
    if (failure == null) {
      try {
        listener.durable(group);
        untold = List.of();
        return;
      } catch (Throwable e) {
        fail(e);
      }
    }
    tellAgain();
  }

  /** Tells the listener of a group that has failed, if it threw something the last time. */
  void tellAgain() {
    JournalFailedException failed = failure;
    if (failed != null && !untold.isEmpty()) {
      List<PendingRecord> group = untold;
      attempts++;
      if (attempts == ATTEMPTS) {
        untold = List.of();
      }
      listener.failed(group, failed);
      untold = List.of();
    }
  }

  /** Syncs what was written without a sync. After a failure the next group is told. */
  void sync() {
    if (failure == null) {
      try {
        writer.force();
      } catch (Throwable e) {
        fail(e);
      }
    }
  }

  /** Sets who has to have a group too before it is durable. */
  void setReplicas(LogReplicas others) {
    replicas = others;
  }

  LogReplicas replicas() {
    return replicas;
  }

  /** Takes note that the log was cut. Nothing may be queued. */
  void cut() {
    lastDurable = writer.appended();
    nextRecord = writer.nextRecord();
  }

  /** Has the journal fail. Throws nothing. */
  void fail(Throwable cause) {
    if (failure == null) {
      JournalFailedException first = failed(cause);
      failure = first;
      log(first);
    }
    bound.release();
  }

  /** Logs the failure once: callers may be few and far between, and only some log what they get. */
  private static void log(JournalFailedException first) {
    try {
      if (first.getCause() instanceof LogDeposedException) {
        LOG.info("{}", first.getMessage());
      } else {
        LOG.error("{}", first.getMessage(), first.getCause());
      }
    } catch (Throwable e) {
      // There is no memory to log it: status and callers report it.
    }
  }

  private JournalFailedException failed(Throwable cause) {
    try {
      return JournalFailedException.because(name, "commits nothing more", cause);
    } catch (Throwable e) {
      // There is no memory to say why.
      return outOfMemory;
    }
  }

  /**
   * Checks that the journal has not failed.
   *
   * @throws JournalFailedException if it has
   */
  void ensureNotFailed() {
    JournalFailedException failed = failure;
    if (failed != null) {
      throw failed.again();
    }
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** Why nothing more becomes durable; empty if the journal has not failed. */
  Optional<String> failure() {
    return Optional.ofNullable(failure).map(Throwable::getMessage);
  }

  long lastDurable() {
    return lastDurable;
  }

  long nextRecord() {
    return nextRecord;
  }

  GroupFigures figures() {
    return figures;
  }
}
