package io.github.stablecut.journal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.error.StablecutException;
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
 * An open log of records with group commit. Appending hands a record over; {@link #flushGroup}
 * writes all that were handed over, syncs them and tells the {@link GroupListener}. Usually a
 * {@link GroupCommitter} calls it; a simulation may call it itself.
 *
 * <p>After the first write or sync that fails, the journal has <em>failed</em>: nothing more
 * becomes durable and nothing is synced again, because a sync that fails once and "succeeds" when
 * repeated has lost data. Reading goes on.
 *
 * <p>Invariant: a group is announced as durable by {@link #flushGroup} only after a sync that
 * covers all of it.
 *
 * <p>Thread-safe, except that {@link #flushGroup}, {@link #writeGroup}, {@link #sync} and {@link
 * #close} belong to one thread at a time: the flushing thread. With a {@link GroupCommitter} that
 * is its thread, or a caller while that one sleeps ({@link GroupCommitter#help}).
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

  /** The number behind that of the last record that was appended. */
  private final AtomicLong nextAppended = new AtomicLong();

  /** Segments that were dropped and are not deleted. Confined to the thread that drops. */
  private final Queue<Integer> undeleted = new ArrayDeque<>();

  /** Segments before it are dropped once no view keeps them. Written by one thread at a time. */
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
    this.reader = new LogReader(store, segments, numbers);
    this.writer = new GroupWriter(store, options, log, segments, numbers);
    this.disk = new DiskReserve(store, options);
    this.flusher = new GroupFlusher(options, listener, writer, disk);
    this.nextAppended.set(log.nextRecord());
    this.tail = new LogTail(options.name(), store, segments, numbers, writer, flusher);
  }

  /**
   * Reads the log, hands its records over in order, and starts a new segment.
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
   * Begins a log whose records before a number are in a checkpoint, durably, and closes it.
   *
   * @param store without segments; closed
   * @param firstRecord the number that the first record will get
   * @param configurationEpoch the epoch of the partition's layout in which the log goes on there
   */
  public static void begin(
      SegmentStore store, JournalOptions options, long firstRecord, long configurationEpoch) {
    RecoveredLog log = new RecoveredLog(List.of(), 0, 0, configurationEpoch, 1, firstRecord);
    try (Journal begun =
        new Journal(store, options, GroupListener.NOBODY, log, new RecordNumbers())) {
      begun.sync();
    } catch (IOException e) {
      closeAfter(e, store);
      throw JournalFailedException.because(options.name(), "can't be begun", e);
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
   * Checks that a record of this size would be taken now.
   *
   * @throws JournalFailedException if the journal has failed
   * @throws JournalClosedException if it is closed
   * @throws RecordTooLargeException if the record is above the limit
   * @throws DiskFullException if there is too little room on the disk, or on those of other copies
   */
  public void ensureWritable(int bytes) {
    checkOpen();
    checkSize(bytes);
    disk.check(bytes);
    flusher.replicas().checkRoom();
  }

  /**
   * The largest body that a record is to have, now that there are other copies or not. Larger ones
   * up to {@link JournalOptions#maxRecordBytes} are taken.
   */
  public int largestRecord() {
    return Math.min(options.maxRecordBytes(), flusher.replicas().largestRecord());
  }

  /** Asks the disk how much room it has now; it is asked with each group, too. */
  public void lookAtRoom() {
    disk.update();
  }

  /** How much room there is on the disk if so many bytes more are written. */
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
   * Hands a record over; the order of the calls is the order of the log. Does no I/O. After the
   * journal has failed the record is taken as well, and its failure announced.
   *
   * @throws JournalClosedException if the journal is closed
   * @throws RecordTooLargeException if the record is above the limit
   */
  public void append(PendingRecord pending) {
    checkSize(pending.length());
    if (!flusher.append(pending)) {
      throw new JournalClosedException(options.name() + " is closed: open it again");
    }
    var unused = nextAppended.incrementAndGet();
  }

  /**
   * The number that the next record to be appended will get: those before it may not be written
   * yet. Exact while nobody appends; after the journal has failed, without meaning.
   */
  public long nextAppended() {
    return nextAppended.get();
  }

  /**
   * Blocks while more than the bound is not durable yet; returns if the journal fails or closes.
   */
  public void awaitCapacity() throws InterruptedException {
    flusher.awaitCapacity();
  }

  /**
   * Whether {@link #awaitCapacity} would not block, and {@link #ensureWritable} would neither ask a
   * disk nor wait for another thread.
   */
  public boolean hasCapacity() {
    return flusher.hasCapacity() && disk.isEnough() && !flusher.replicas().mayLackRoom();
  }

  /**
   * Writes and syncs what was appended, and tells the listener.
   *
   * @return the number of records
   */
  @CanIgnoreReturnValue
  public int flushGroup() {
    return flusher.flush(true);
  }

  /**
   * Writes what was appended, and tells the listener without a sync.
   *
   * @return the number of records
   */
  @CanIgnoreReturnValue
  public int writeGroup() {
    return flusher.flush(false);
  }

  /** Syncs what was written without a sync. After a failure the next group is told. */
  public void sync() {
    flusher.sync();
  }

  /** Tells the listener of records that it was to be told of, if it threw something then. */
  void tellAgain() {
    flusher.tellAgain();
  }

  /**
   * Has the journal fail, and everybody who waits told: by whoever knows that what is in memory
   * will never be in the journal. Throws nothing.
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

  /** Whether nothing more becomes durable. */
  public boolean hasFailed() {
    return flusher.hasFailed();
  }

  /** Why nothing more becomes durable; empty if the journal has not failed. */
  public Optional<String> failure() {
    return flusher.failure();
  }

  /** Whether {@link #writeGroup} wrote something that isn't synced yet. */
  boolean hasUnsynced() {
    return !hasFailed() && writer.appended() > writer.synced();
  }

  RecordQueue queue() {
    return flusher.queue();
  }

  /** As {@link GroupFlusher#flushIfPlain}. */
  boolean flushIfPlain() {
    return flusher.flushIfPlain();
  }

  /** Whether something is to be flushed. Only for the flushing thread. */
  boolean hasQueued() {
    return flusher.hasQueued();
  }

  String name() {
    return options.name();
  }

  /**
   * Reads one record.
   *
   * @param position where the journal has put it
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
   * @param from the position of the first one; 0 for the oldest
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
   * Reads the durable records in order until the visitor has enough.
   *
   * @param from as for {@link #scan}, or offset 0 of a segment for its first record; segments that
   *     were dropped are left out
   * @param goesOn is shown a record and says whether it wants the next one
   * @throws IllegalArgumentException if a segment was dropped meanwhile
   * @throws CorruptJournalException if what is there isn't what was written
   */
  public void scanWhile(long from, Predicate<StoredRecord> goesOn) {
    try {
      reader.scanWhile(from, flusher.lastDurable(), goesOn);
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  /**
   * Grows with each group that becomes durable: as long as it is the same nothing new can be read.
   */
  public long durable() {
    return flusher.lastDurable();
  }

  /**
   * Reads the durable records in order from the one with a number, as those do who follow the log.
   *
   * @param from the number of the first one; at most {@link #nextRecord}
   * @throws IllegalArgumentException if that record was dropped, or a segment meanwhile
   * @throws CorruptJournalException if what is there isn't what was written
   */
  public void scanNumbers(long from, NumberedVisitor goesOn) {
    long next = flusher.nextRecord();
    if (from > next) {
      throw new IllegalArgumentException(
          "record %d is above the next one, %d".formatted(from, next));
    }
    if (from == next) {
      return;
    }
    try {
      reader.scanNumbers(from, flusher.lastDurable(), goesOn);
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  /**
   * The number that the next record gets. Records are numbered from 1 without gaps, over all
   * openings: a number names the same record on every copy of the log.
   */
  public long nextRecord() {
    return flusher.nextRecord();
  }

  /** The number of the oldest record that was not dropped; {@link #nextRecord} if there is none. */
  public long firstRecord() {
    return numbers.oldest(nextRecord());
  }

  /** The epochs of the partition's layout in which its records were written. */
  public LogEpochs epochs() {
    return LogEpochs.of(segments.all());
  }

  /**
   * Sets who has to have a group too before it is durable; {@link LogReplicas#NONE} until then.
   * Takes effect with the next group.
   */
  public void setReplicas(LogReplicas replicas) {
    flusher.setReplicas(replicas);
  }

  /** Who has to have a group too before it is durable. */
  public LogReplicas replicas() {
    return flusher.replicas();
  }

  /**
   * The position at or before the oldest record that another copy may need; {@link Long#MAX_VALUE}
   * if none does.
   */
  public long oldestNeededByReplicas() {
    long number = replicas().oldestNeeded();
    return number == Long.MAX_VALUE ? Long.MAX_VALUE : positionAtOrBefore(number);
  }

  /** A position at or before that of a record with a number, near it; 0 if that was dropped. */
  public long positionAtOrBefore(long number) {
    var near = numbers.floor(number);
    return near == null ? 0 : near.getValue();
  }

  /**
   * Begins an epoch of the partition's layout, durably, before this returns. Later records are of
   * this epoch. For the flushing thread.
   *
   * @throws JournalFailedException if the journal has failed, or does so now
   */
  public void beginEpoch(long epoch) {
    tail.beginEpoch(epoch);
  }

  /**
   * Cuts off a record and all behind it, and begins an epoch of the partition's layout there:
   * durably, before this returns. A crash meanwhile leaves all or nothing of what is cut off.
   * Nothing may be queued, and nobody may read what is cut off. For the flushing thread.
   *
   * @param number of the first record that is cut off
   * @throws IllegalArgumentException if that record was dropped or there is none
   * @throws JournalFailedException if the journal has failed, or does so now
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
   * Reads while segments are dropped: those that are there now, and that nobody has begun to drop,
   * stay until it is closed.
   */
  public JournalView view() {
    return new JournalView(this, views, segments.oldestNumber());
  }

  /** The first segment that nobody has begun to drop. */
  int firstKept() {
    return firstKept;
  }

  /**
   * Takes note, beside the segments, that what is durable so far is synced, if it is: an end that
   * is cut off later is missed at the next open.
   */
  public void noteSynced() {
    // All of a group, so it ends with a record.
    long sequence = flusher.lastDurable();
    if (writer.synced() >= sequence && !closed) {
      try {
        store.markSynced(sequence);
      } catch (IOException e) {
        throw JournalFailedException.because(options.name(), "can't say how far it goes", e);
      }
    }
  }

  /** Has the next record begin a new segment, so that the current one can be dropped later. */
  public void roll() {
    writer.rollBeforeNext();
  }

  /**
   * Deletes the segments below a number; the one that is being written stays, and those that a
   * {@link #view} keeps stay until this is called after it was closed. Who takes away the reasons
   * to look for what is there does so before.
   */
  public void dropSegmentsBefore(int number) {
    // First said, then looked: a view is either seen here, or sees what is being dropped.
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

  /** What can't be deleted now is tried again when segments are dropped the next time. */
  private void deleteDropped() {
    while (!undeleted.isEmpty()) {
      try {
        store.delete(undeleted.element());
      } catch (IOException e) {
        throw JournalFailedException.because(options.name(), "couldn't delete a segment", e);
      }
      int unused = undeleted.remove();
    }
  }

  /** Figures of this moment. */
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

  /** Why records are refused now. Looks at the disk: nobody may have appended for long. */
  private Optional<String> problem() {
    try {
      disk.update();
      ensureWritable(0);
      return Optional.empty();
    } catch (StablecutException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** Writes and syncs what is queued, refuses what comes later, and releases the store. */
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
      throw JournalFailedException.because(options.name(), "wasn't closed in order", e);
    } finally {
      closeStore();
    }
  }

  private void closeStore() {
    try {
      store.close();
    } catch (IOException | InternalError e) {
      throw JournalFailedException.because(options.name(), "wasn't closed in order", e);
    }
  }
}
