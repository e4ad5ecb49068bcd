package io.github.stablecut.journal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.journal.segment.LargeRecords;
import io.github.stablecut.journal.segment.LogSpace;
import io.github.stablecut.journal.segment.NumberedVisitor;
import io.github.stablecut.journal.segment.OpenViews;
import io.github.stablecut.journal.segment.RecordNumbers;
import io.github.stablecut.journal.segment.RecoveredLog;
import io.github.stablecut.journal.segment.SegmentInfo;
import io.github.stablecut.journal.segment.SegmentInfos;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.segment.StoredRecord;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * An open log of records with group commit. {@link #append} queues a record; {@link #flushGroup}
 * writes and syncs all queued records and notifies the {@link GroupListener}. Usually a {@link
 * GroupCommitter} calls it; a simulation may call it itself.
 *
 * <p>After the first failed write or sync the journal has <em>failed</em>: nothing more becomes
 * durable. Nothing is synced again, because a sync that fails once and "succeeds" when repeated has
 * lost data. Reads still work.
 *
 * <p>Invariant: {@link #flushGroup} announces a group as durable only after a sync that covers all
 * of it.
 *
 * <p>Thread-safe, except that one thread at a time, the flushing thread, calls {@link #flushGroup},
 * {@link #writeGroup}, {@link #sync} and {@link #close}. With a {@link GroupCommitter} that is its
 * thread, or a caller while that thread sleeps ({@link GroupCommitter#help}).
 */
public final class Journal implements AutoCloseable {
  private final SegmentStore store;
  private final JournalOptions options;
  private final SegmentInfos segments;
  private final GroupWriter writer;
  private final DiskReserve disk;
  private final GroupFlusher flusher;
  private final LogTail tail;
  private final RecordNumbers numbers;
  private final LogReader reader;
  private final OpenViews views = new OpenViews();
  private volatile boolean closed;

  /** The number after that of the last appended record. */
  private final AtomicLong nextAppended = new AtomicLong();

  /** Dropped segments that are not yet deleted. Confined to the thread that drops. */
  private final Queue<Integer> undeleted = new ArrayDeque<>();

  /** Segments below it are dropped once no view retains them. Written by one thread at a time. */
  private volatile int firstKept;

  private Journal(
      SegmentStore store,
      JournalOptions options,
      GroupListener listener,
      RecoveredLog log,
      RecordNumbers numbers)
      throws IOException {
    this.store = store;
    this.options = options;
    this.segments = new SegmentInfos(log.segments());
    this.numbers = numbers;
    this.reader = new LogReader(store, segments, numbers, options.maxRecordBytes());
    this.writer = new GroupWriter(store, options, log, segments, numbers);
    this.disk = new DiskReserve(store, options);
    this.flusher = new GroupFlusher(options, listener, writer, disk);
    this.nextAppended.set(log.nextRecord());
    this.tail = new LogTail(options.name(), store, segments, numbers, writer, flusher);
  }

  /**
   * Reads the log, passes its records to the visitor in order, and starts a new segment.
   *
   * @param store the segments; closed with the journal, and if this throws
   * @param visitor gets every complete record, before this returns
   * @throws CorruptJournalException if something acknowledged is damaged or missing
   * @throws JournalVersionException if a newer version of this program wrote the log
   */
  public static Journal open(
      SegmentStore store,
      JournalOptions options,
      GroupListener listener,
      Consumer<StoredRecord> visitor) {
    RecordNumbers numbers = new RecordNumbers();
    try {
      RecoveredLog log = Recovery.run(store, options, visitor, numbers, listener);
      return new Journal(store, options, listener, log, numbers);
    } catch (IOException e) {
      closeAfter(e, store);
      throw JournalFailedException.because(options.name(), "can't be opened", e);
    } catch (RuntimeException | Error e) {
      closeAfter(e, store);
      if (JournalFailedException.isFault(e)) {
        throw JournalFailedException.because(options.name(), "can't be opened", e);
      }
      throw e;
    }
  }

  /**
   * Creates a log whose records below a number are in a checkpoint, durably, and closes it.
   *
   * @param store has no segments; closed by this method
   * @param firstRecord the number that the first record will get
   * @param configurationEpoch the epoch of the partition's configuration in which the log continues
   */
  public static void begin(
      SegmentStore store, JournalOptions options, long firstRecord, long configurationEpoch) {
    RecoveredLog log = new RecoveredLog(List.of(), 0, 0, configurationEpoch, 1, firstRecord);
    try (Journal created =
        new Journal(store, options, GroupListener.NOBODY, log, new RecordNumbers())) {
      created.sync();
    } catch (IOException e) {
      closeAfter(e, store);
      throw JournalFailedException.because(options.name(), "can't be created", e);
    }
  }

  private static void closeAfter(Throwable cause, SegmentStore store) {
    try {
      store.close();
    } catch (IOException | InternalError e) {
      cause.addSuppressed(e);
    }
  }

  /**
   * Checks that a record of this size would be accepted now.
   *
   * @throws JournalFailedException if the journal has failed
   * @throws JournalClosedException if it is closed
   * @throws RecordTooLargeException if the record is above the limit
   * @throws DiskFullException if this disk, or those of other replicas, have too little free space
   */
  public void ensureWritable(int bytes) {
    checkOpen();
    checkSize(bytes);
    disk.check(bytes);
    flusher.replicas().checkRoom();
  }

  /**
   * The recommended maximum body of a record, which is smaller with replicas. Larger ones up to
   * {@link JournalOptions#maxRecordBytes} are accepted.
   */
  public int largestRecord() {
    return Math.min(options.maxRecordBytes(), flusher.replicas().largestRecord());
  }

  /** Refreshes the free space of the disk; each group does so, too. */
  public void refreshDiskSpace() {
    disk.update();
  }

  /** The space left on the disk after this many more bytes. */
  public LogSpace room(long bytes) {
    return disk.room(bytes);
  }

  private void checkOpen() {
    flusher.ensureNotFailed();
    if (closed) {
      throw new JournalClosedException(options.name() + " is closed: open it again");
    }
  }

  private void checkSize(int bytes) {
    if (bytes > options.maxRecordBytes()) {
      throw new RecordTooLargeException(
          "%s: a record of %,d bytes is above the limit of %,d: split the transaction"
              .formatted(options.name(), bytes, options.maxRecordBytes()));
    }
  }

  /**
   * Queues a record; the order of the calls is the order of the log. Does no I/O. A failed journal
   * also accepts the record, and announces its failure.
   *
   * @throws JournalClosedException if the journal is closed
   * @throws RecordTooLargeException if the record is above the limit
   */
  public void append(PendingRecord pending) {
    checkSize(pending.length());
    if (!flusher.append(pending)) {
      throw new JournalClosedException(options.name() + " is closed: open it again");
    }
    nextAppended.incrementAndGet();
  }

  /**
   * The number that the next appended record gets; records before it may not be written yet. Exact
   * while no thread appends; meaningless after the journal has failed.
   */
  public long nextAppended() {
    return nextAppended.get();
  }

  /**
   * Blocks while the bytes that are not durable exceed the bound; returns if the journal fails or
   * closes.
   */
  public void awaitCapacity() throws InterruptedException {
    flusher.awaitCapacity();
  }

  /**
   * Whether {@link #awaitCapacity} would not block, and {@link #ensureWritable} would neither query
   * a disk nor wait for another thread.
   */
  public boolean hasCapacity() {
    return flusher.hasCapacity() && disk.isEnough() && !flusher.replicas().mayLackRoom();
  }

  /**
   * Writes and syncs the queued records, and notifies the listener.
   *
   * @return the number of records
   */
  @CanIgnoreReturnValue
  public int flushGroup() {
    return flusher.flush(true);
  }

  /**
   * Writes the queued records, and notifies the listener without a sync.
   *
   * @return the number of records
   */
  @CanIgnoreReturnValue
  public int writeGroup() {
    return flusher.flush(false);
  }

  /** Syncs what was written without a sync. A failure is reported with the next group. */
  public void sync() {
    flusher.sync();
  }

  /** Notifies the listener of a failed group again, if it threw the last time. */
  void retryAnnounce() {
    flusher.retryAnnounce();
  }

  /**
   * Fails the journal, and notifies all waiting callers. For code that finds that the state in
   * memory will never be in the journal. Throws nothing.
   */
  public void fail(Throwable cause) {
    flusher.fail(cause);
  }

  /**
   * Checks that the journal has not failed.
   *
   * @throws JournalFailedException if it has
   */
  void ensureNotFailed() {
    flusher.ensureNotFailed();
  }

  /** Whether the journal has failed: nothing more becomes durable. */
  public boolean hasFailed() {
    return flusher.hasFailed();
  }

  /** The reason for the failure; empty if the journal has not failed. */
  public Optional<String> failure() {
    return flusher.failure();
  }

  /** Whether {@link #writeGroup} wrote something that is not yet synced. */
  boolean hasUnsynced() {
    return !hasFailed() && writer.appended() > writer.synced();
  }

  RecordQueue queue() {
    return flusher.queue();
  }

  /** Like {@link GroupFlusher#tryFlushInPlace}. */
  boolean tryFlushInPlace() {
    return flusher.tryFlushInPlace();
  }

  /** Whether records wait to be flushed. Only for the flushing thread. */
  public boolean hasQueued() {
    return flusher.hasQueued();
  }

  String name() {
    return options.name();
  }

  /**
   * Reads one record.
   *
   * @param position where the journal stored it
   * @throws IllegalArgumentException if no record begins there, or its segment was dropped
   * @throws CorruptJournalException if what is there isn't what was written
   */
  public StoredRecord read(long position) {
    try {
      return reader.read(position);
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  private RuntimeException unreadable(InternalError e) {
    if (JournalFailedException.isFault(e)) {
      return JournalFailedException.because(options.name(), "can't be read", e);
    }
    throw e;
  }

  /**
   * Reads the durable records in order.
   *
   * @param from the position of the first record; 0 for the oldest
   * @throws CorruptJournalException if what is there isn't what was written
   */
  public void scan(long from, Consumer<StoredRecord> visitor) {
    try {
      reader.scan(from, flusher.lastDurable(), visitor);
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  /**
   * Reads the durable records in order until the visitor stops.
   *
   * @param from as for {@link #scan}, or offset 0 of a segment for its first record; dropped
   *     segments are skipped
   * @param visitor gets a record, and returns whether to continue
   * @throws IllegalArgumentException if a segment was dropped meanwhile
   * @throws CorruptJournalException if what is there isn't what was written
   */
  public void scanWhile(long from, Predicate<StoredRecord> visitor) {
    scanWhile(from, visitor, LargeRecords.ALL);
  }

  /**
   * Like {@link #scanWhile(long, Predicate)}.
   *
   * @param large decides about large records
   */
  public void scanWhile(long from, Predicate<StoredRecord> visitor, LargeRecords large) {
    try {
      reader.scanWhile(from, flusher.lastDurable(), visitor, large);
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  /** Grows with each group that becomes durable: while it is unchanged, nothing new can be read. */
  public long durable() {
    return flusher.lastDurable();
  }

  /**
   * Reads the durable records in order from a record number on. For readers that follow the log.
   *
   * @param from the number of the first record; at most {@link #nextRecord}
   * @throws IllegalArgumentException if that record was dropped, or a segment meanwhile
   * @throws CorruptJournalException if what is there isn't what was written
   */
  public void scanNumbers(long from, NumberedVisitor visitor) {
    long next = flusher.nextRecord();
    if (from > next) {
      throw new IllegalArgumentException(
          "record %d is above the next one, %d".formatted(from, next));
    }
    if (from == next) {
      return;
    }
    try {
      reader.scanNumbers(from, flusher.lastDurable(), visitor);
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  /**
   * The number of the next record. Records are numbered from 1 without gaps, across all openings: a
   * number names the same record in every replica of the log.
   */
  public long nextRecord() {
    return flusher.nextRecord();
  }

  /** The number of the oldest retained record; {@link #nextRecord} if there is none. */
  public long firstRecord() {
    return numbers.oldest(nextRecord());
  }

  /** The configuration epochs in which the records were written. */
  public LogEpochs epochs() {
    return LogEpochs.of(segments.all());
  }

  /**
   * Sets the replicas that must have a group before it is durable; initially {@link
   * LogReplicas#NONE}. Takes effect with the next group.
   */
  public void setReplicas(LogReplicas replicas) {
    flusher.setReplicas(replicas);
  }

  /** The replicas that must have a group before it is durable. */
  public LogReplicas replicas() {
    return flusher.replicas();
  }

  /**
   * A position at or before the oldest record that another replica may need; {@link Long#MAX_VALUE}
   * if none is needed.
   */
  public long oldestNeededByReplicas() {
    long number = replicas().oldestNeeded();
    return number == Long.MAX_VALUE ? Long.MAX_VALUE : positionAtOrBefore(number);
  }

  /** A position at or shortly before that of a record; 0 if the record was dropped. */
  public long positionAtOrBefore(long number) {
    var near = numbers.floor(number);
    return near == null ? 0 : near.getValue();
  }

  /**
   * Begins an epoch of the partition's configuration; durable when this returns. Later records
   * belong to this epoch. For the flushing thread.
   *
   * @throws JournalFailedException if the journal has failed, or fails now
   */
  public void beginEpoch(long epoch) {
    tail.beginEpoch(epoch);
  }

  /**
   * Cuts off a record and all later ones, and begins an epoch of the partition's configuration
   * there; durable when this returns. A crash meanwhile cuts off everything or nothing. No record
   * may be queued, and no reader may read what is cut off. For the flushing thread.
   *
   * @param number the number of the first record to cut off
   * @throws IllegalArgumentException if that record was dropped or there is none
   * @throws JournalFailedException if the journal has failed, or fails now
   */
  public void cut(long number, long epoch) {
    StoredRecord[] found = new StoredRecord[1];
    scanNumbers(
        number,
        (at, record) -> {
          found[0] = record;
          return false;
        });
    if (found[0] == null) {
      throw new IllegalArgumentException("there is no record %d to cut off".formatted(number));
    }
    tail.cut(number, found[0], epoch);
    nextAppended.set(number);
  }

  /**
   * Opens a view that retains segments: those present now, unless a drop of them has begun, stay
   * readable until the view is closed.
   */
  public JournalView view() {
    return new JournalView(this, views, segments.oldestNumber());
  }

  /** The first segment of which no drop has begun. */
  int firstKept() {
    return firstKept;
  }

  /**
   * Records next to the segments that everything durable so far is synced, if it is. The next open
   * then detects if that part of the log is missing.
   */
  public void markSynced() {
    // The end of a group, and so of a record.
    long sequence = flusher.lastDurable();
    if (writer.synced() >= sequence && !closed) {
      try {
        store.markSynced(sequence);
      } catch (IOException e) {
        throw JournalFailedException.because(options.name(), "can't record its extent", e);
      }
    }
  }

  /** Makes the next record begin a new segment, so that the current one can be dropped later. */
  public void roll() {
    writer.rollBeforeNext();
  }

  /**
   * Deletes the segments below a number. The segment being written stays. Segments that a {@link
   * #view} retains stay until a call after the view was closed. The caller first removes all
   * references to records there.
   */
  public void dropSegmentsBefore(int number) {
    // Publish firstKept before reading the views: either this sees a view, or the view sees the
    // drop.
    firstKept = Math.max(firstKept, Math.min(number, segments.newestNumber()));
    int first = Math.min(firstKept, views.oldest());
    for (SegmentInfo info : segments.all()) {
      if (info.number() >= first) {
        break;
      }
      segments.remove(info.number());
      numbers.drop(info.number());
      undeleted.add(info.number());
    }
    deleteDropped();
  }

  /** Segments that can't be deleted now are retried with the next drop. */
  private void deleteDropped() {
    while (!undeleted.isEmpty()) {
      try {
        store.delete(undeleted.element());
      } catch (IOException e) {
        throw JournalFailedException.because(options.name(), "couldn't delete a segment", e);
      }
      undeleted.remove();
    }
  }

  /** The current figures. */
  public JournalStatus status() {
    List<JournalStatus.Segment> sizes = new ArrayList<>();
    for (SegmentInfo info : segments.all()) {
      sizes.add(new JournalStatus.Segment(info.number(), store.allocatedBytes(info.number())));
    }
    GroupFigures now = flusher.figures();
    return new JournalStatus(
        writer.epoch(),
        sizes,
        firstRecord(),
        nextRecord(),
        writer.appended(),
        writer.synced(),
        now.records(),
        now.bytes(),
        now.groups(),
        now.largestGroup(),
        writer.syncs(),
        problem());
  }

  /**
   * Returns the reason why records are refused now. Refreshes the free space, because the last
   * append may be long ago.
   */
  private Optional<String> problem() {
    try {
      disk.update();
      ensureWritable(0);
      return Optional.empty();
    } catch (StablecutException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** Writes and syncs the queued records, refuses later ones, and closes the store. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      flusher.close();
      if (!hasFailed()) {
        writer.appendClosed();
        writer.force();
        store.markSynced(writer.appended());
      }
    } catch (IOException | InternalError e) {
      throw JournalFailedException.because(options.name(), "wasn't closed cleanly", e);
    } finally {
      closeStore();
    }
  }

  private void closeStore() {
    try {
      store.close();
    } catch (IOException | InternalError e) {
      throw JournalFailedException.because(options.name(), "wasn't closed cleanly", e);
    }
  }
}
