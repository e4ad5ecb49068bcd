package io.github.stablecut.journal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.error.StablecutException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 * #close} belong to one thread at a time: the flushing thread.
 */
public final class Journal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

  private final SegmentStore store;
  private final JournalOptions options;
  private final GroupListener listener;
  private final SegmentInfos segments;
  private final GroupWriter writer;
  private final RecordQueue queue = new RecordQueue();
  private final QueueBound bound;
  private final DiskReserve disk;
  private final RecordNumbers numbers;
  private final LogReader reader;
  private final OpenViews views = new OpenViews();
  private volatile GroupFigures figures = GroupFigures.NONE;

  /** The sequence of the last frame that is durable under the {@link SyncPolicy}. */
  private volatile long lastDurable;

  /** The number behind that of the last record that is durable. */
  private volatile long nextRecord;

  private volatile @Nullable JournalFailedException failure;

  /** Made before it is needed. */
  private final JournalFailedException outOfMemory;

  private volatile boolean closed;

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
    this.listener = listener;
    this.bound = new QueueBound(options.queueBytes());
    this.segments = new SegmentInfos(log.segments());
    this.numbers = numbers;
    this.reader = new LogReader(store, segments, numbers);
    this.writer = new GroupWriter(store, options, log, segments, numbers);
    this.lastDurable = writer.appended();
    this.nextRecord = writer.nextRecord();
    this.disk = new DiskReserve(store, options);
    this.outOfMemory =
        JournalFailedException.because(
            options.name(), "commits nothing more", new OutOfMemoryError("Java heap space"));
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
      RecoveredLog log = Recovery.run(store, options, visitor, numbers);
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
   * @throws DiskFullException if there is too little room on the disk
   */
  public void ensureWritable(int bytes) {
    checkOpen();
    checkSize(bytes);
    disk.check(bytes);
  }

  private void checkOpen() {
    JournalFailedException failed = failure;
    if (failed != null) {
      throw failed.again();
    }
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
    bound.add(pending.length());
    if (!queue.put(pending)) {
      bound.remove(pending.length());
      throw new JournalClosedException(options.name() + " is closed: open it again");
    }
  }

  /**
   * Blocks while more than the bound is not durable yet; returns if the journal fails or closes.
   */
  public void awaitCapacity() throws InterruptedException {
    bound.await();
  }

  /**
   * Writes and syncs what was appended, and tells the listener.
   *
   * @return the number of records
   */
  @CanIgnoreReturnValue
  public int flushGroup() {
    return flush(queue.drain(), true);
  }

  /**
   * Writes what was appended, and tells the listener without a sync.
   *
   * @return the number of records
   */
  @CanIgnoreReturnValue
  public int writeGroup() {
    return flush(queue.drain(), false);
  }

  @CanIgnoreReturnValue
  private int flush(List<PendingRecord> group, boolean sync) {
    if (group.isEmpty()) {
      if (sync) {
        sync();
      }
      return 0;
    }
    long bytes = 0;
    for (PendingRecord pending : group) {
      bytes += pending.length();
    }
    if (failure == null) {
      write(group, bytes, sync);
    }
    announce(group);
    bound.remove(bytes);
    return group.size();
  }

  private void announce(List<PendingRecord> group) {
    if (failure == null) {
      try {
        listener.durable(group);
        return;
      } catch (Throwable e) {
        fail(e);
      }
    }
    JournalFailedException failed = failure;
    if (failed != null) {
      listener.failed(group, failed);
    }
  }

  private void write(List<PendingRecord> group, long bytes, boolean sync) {
    try {
      writer.append(group);
      if (sync) {
        writer.force();
      }
      figures = figures.plus(group.size(), bytes);
      lastDurable = writer.appended();
      nextRecord = writer.nextRecord();
      disk.update();
    } catch (Throwable e) {
      fail(e);
    }
  }

  /** Syncs what was written without a sync. After a failure the next group is told. */
  public void sync() {
    if (failure == null) {
      try {
        writer.force();
      } catch (Throwable e) {
        fail(e);
      }
    }
  }

  /**
   * Has the journal fail, and everybody who waits told: by whoever knows that what is in memory
   * will never be in the journal. Throws nothing.
   */
  public void fail(Throwable cause) {
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
      LOG.error("{}", first.getMessage(), first.getCause());
    } catch (Throwable e) {
      // There is no memory to log it: status and callers report it.
    }
  }

  private JournalFailedException failed(Throwable cause) {
    try {
      return JournalFailedException.because(options.name(), "commits nothing more", cause);
    } catch (Throwable e) {
      // There is no memory to say why.
      return outOfMemory;
    }
  }

  /** Whether nothing more becomes durable. */
  public boolean hasFailed() {
    return failure != null;
  }

  /** Why nothing more becomes durable; empty if the journal has not failed. */
  public Optional<String> failure() {
    return Optional.ofNullable(failure).map(Throwable::getMessage);
  }

  /** Whether {@link #writeGroup} wrote something that isn't synced yet. */
  boolean hasUnsynced() {
    return failure == null && writer.appended() > writer.synced();
  }

  RecordQueue queue() {
    return queue;
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
      reader.scan(from, lastDurable, visitor);
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
      reader.scanWhile(from, lastDurable, goesOn);
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  /**
   * Reads the durable records in order from the one with a number, as those do who follow the log.
   *
   * @param from the number of the first one; at most {@link #nextRecord}
   * @throws IllegalArgumentException if that record was dropped, or a segment meanwhile
   * @throws CorruptJournalException if what is there isn't what was written
   */
  public void scanNumbers(long from, NumberedVisitor goesOn) {
    long next = nextRecord;
    if (from > next) {
      throw new IllegalArgumentException(
          "record %d is above the next one, %d".formatted(from, next));
    }
    if (from == next) {
      return;
    }
    try {
      reader.scanNumbers(from, lastDurable, goesOn);
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  /**
   * The number that the next record gets. Records are numbered from 1 without gaps, over all
   * openings: a number names the same record on every copy of the log.
   */
  public long nextRecord() {
    return nextRecord;
  }

  /** The number of the oldest record that was not dropped; {@link #nextRecord} if there is none. */
  public long firstRecord() {
    return numbers.oldest(nextRecord);
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
    long sequence = lastDurable;
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
    GroupFigures now = figures;
    return new JournalStatus(
        writer.epoch(),
        sizes,
        firstRecord(),
        nextRecord,
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
      flush(queue.close(), true);
      bound.release();
      if (failure == null) {
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
