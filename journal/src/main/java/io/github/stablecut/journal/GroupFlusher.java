package io.github.stablecut.journal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.log.Log;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The group commit of a {@link Journal}: queues records, writes and syncs them in groups, and
 * notifies the listener of each group's outcome. No exception loses a group: its records become
 * durable or fail, and the listener is notified.
 *
 * <p>Thread-safe, except that one thread at a time, the flushing thread, calls {@link #flush},
 * {@link #tryFlushInPlace}, {@link #sync}, {@link #retryAnnounce} and {@link #close}. With a {@link
 * GroupCommitter} that is the holder of the {@link FlushTurn}.
 */
final class GroupFlusher {
  private static final Logger LOG = Log.of(Journal.class);

  /** The maximum number of notifications of a failed group if the listener throws. */
  private static final int MAX_ANNOUNCE_ATTEMPTS = 10;

  private final String name;
  private final GroupListener listener;
  private final GroupWriter writer;
  private final DiskReserve disk;
  private final RecordQueue queue = new RecordQueue();
  private final QueueBound bound;
  private final GroupFigures figures = new GroupFigures();

  /** The sequence of the last frame that is durable under the {@link SyncPolicy}. */
  private volatile long lastDurable;

  /** The number after that of the last durable record. */
  private volatile long nextRecord;

  private volatile LogReplicas replicas = LogReplicas.NONE;
  private volatile @Nullable JournalFailedException failure;

  /** Created in advance, for when there is no memory. */
  private final JournalFailedException outOfMemory;

  /** The group that the listener was not yet notified of. Confined to the flushing thread. */
  private List<PendingRecord> unannounced = List.of();

  private int announceAttempts;

  /**
   * Records taken from the queue and left to the journal's thread to flush. Confined to the
   * flushing thread.
   */
  private List<PendingRecord> deferred = List.of();

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
            name, "has stopped committing", new OutOfMemoryError("Java heap space"));
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

  /** Blocks while the queued bytes exceed the bound; returns if the journal fails or closes. */
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
   * Writes the queued records and notifies the listener.
   *
   * @param sync whether to sync before notifying
   * @return the number of records
   */
  @CanIgnoreReturnValue
  int flush(boolean sync) {
    return flush(hasDeferred() ? takeDeferred() : queue.drain(), sync);
  }

  /**
   * Writes and syncs the queued records and notifies the listener, if they fit into one chunk in
   * the current segment. Then only system calls are needed that an interrupt of the thread doesn't
   * end. Otherwise the records are deferred to the next {@link #flush}.
   *
   * @return whether no records were deferred
   */
  boolean tryFlushInPlace() {
    if (hasDeferred()) {
      return false;
    }
    List<PendingRecord> group = queue.drain();
    if (group.isEmpty()) {
      return true;
    }
    if (!writer.fitsInPlace(group)) {
      deferred = group;
      return false;
    }
    flush(group, true);
    return true;
  }

  private boolean hasDeferred() {
    return !deferred.isEmpty();
  }

  private List<PendingRecord> takeDeferred() {
    List<PendingRecord> taken = deferred;
    deferred = List.of();
    return taken;
  }

  /** Whether records wait to be flushed. */
  boolean hasQueued() {
    return hasDeferred() || !queue.isEmpty();
  }

  /** Flushes the queued records and admits no more. */
  void close() {
    announceRemaining();
    try {
      flush(takeDeferred(), true);
    } finally {
      announceRemaining();
      closeQueue();
    }
  }

  private void closeQueue() {
    try {
      flush(queue.close(), true);
    } finally {
      announceRemaining();
      bound.release();
    }
  }

  private void announceRemaining() {
    while (failure != null && !unannounced.isEmpty()) {
      try {
        retryAnnounce();
      } catch (Throwable e) {
        // The loop retries, or the listener was notified often enough.
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
    unannounced = group;
    announceAttempts = 0;
    long bytes = bytesOf(group);
    if (failure == null) {
      write(group, bytes, sync);
    }
    announce(group);
    bound.remove(bytes);
    return group.size();
  }

  /** Uses no iterator, which would allocate. */
  private static long bytesOf(List<PendingRecord> group) {
    long bytes = 0;
    for (int i = 0; i < group.size(); i++) {
      bytes += group.get(i).length();
    }
    return bytes;
  }

  private void write(List<PendingRecord> group, long bytes, boolean sync) {
    try {
      LogReplicas current = replicas;
      current.send(writer.nextRecord(), group);
      writer.append(group);
      if (sync) {
        writer.force();
      }
      current.await(writer.nextRecord());
      figures.add(group.size(), bytes);
      lastDurable = writer.appended();
      nextRecord = writer.nextRecord();
      disk.update();
    } catch (Throwable e) {
      fail(e);
    }
  }

  private void announce(List<PendingRecord> group) {
    if (failure == null) {
      try {
        listener.durable(group);
        unannounced = List.of();
        return;
      } catch (Throwable e) {
        fail(e);
      }
    }
    retryAnnounce();
  }

  /** Notifies the listener of a failed group again, if it threw the last time. */
  void retryAnnounce() {
    JournalFailedException failed = failure;
    if (failed != null && !unannounced.isEmpty()) {
      List<PendingRecord> group = unannounced;
      announceAttempts++;
      if (announceAttempts == MAX_ANNOUNCE_ATTEMPTS) {
        unannounced = List.of();
      }
      listener.failed(group, failed);
      unannounced = List.of();
    }
  }

  /** Syncs what was written without a sync. A failure is reported with the next group. */
  void sync() {
    if (failure == null) {
      try {
        writer.force();
      } catch (Throwable e) {
        fail(e);
      }
    }
  }

  /** Sets the replicas that must have a group before it is durable. */
  void setReplicas(LogReplicas newReplicas) {
    replicas = newReplicas;
  }

  LogReplicas replicas() {
    return replicas;
  }

  /** Updates the end after the log was cut. No record may be queued. */
  void resetEnd() {
    lastDurable = writer.appended();
    nextRecord = writer.nextRecord();
  }

  /** Fails the journal. Throws nothing. */
  void fail(Throwable cause) {
    if (failure == null) {
      JournalFailedException first = failed(cause);
      failure = first;
      log(first);
    }
    bound.release();
  }

  /** Logs the failure once: callers may be rare, and not all of them log their exceptions. */
  private static void log(JournalFailedException first) {
    try {
      if (first.getCause() instanceof LogDeposedException) {
        LOG.info("{}", first.getMessage());
      } else {
        LOG.error("{}", first.getMessage(), first.getCause());
      }
    } catch (Throwable e) {
      // Out of memory while logging: the status and callers' exceptions report the failure.
    }
  }

  private JournalFailedException failed(Throwable cause) {
    try {
      return JournalFailedException.because(name, "has stopped committing", cause);
    } catch (Throwable e) {
      // Out of memory while building the message.
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

  /** The reason for the failure; empty if the journal has not failed. */
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
