package io.github.stablecut.journal;

import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.RecordFormat;
import io.github.stablecut.journal.segment.RecordFormat.Head;
import io.github.stablecut.journal.segment.RecordFormat.SegmentHeader;
import io.github.stablecut.journal.segment.RecordNumbers;
import io.github.stablecut.journal.segment.RecoveredLog;
import io.github.stablecut.journal.segment.SegmentInfo;
import io.github.stablecut.journal.segment.SegmentInfos;
import io.github.stablecut.journal.segment.SegmentStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.FlightRecorder;

/**
 * Frames records, collects the frames in chunks, appends these to the store and forces them; starts
 * a new segment when one is full.
 *
 * <p>Invariant: a segment is fully synced before the header of the next one exists.
 *
 * <p>Confined to the flushing thread; other threads may read what {@link JournalStatus} shows.
 */
final class GroupWriter {
  private static final int FIRST_CHUNK_BYTES = 64 << 10;

  private final SegmentStore store;
  private final int segmentBytes;
  private final long epoch;
  private final SegmentInfos segments;

  /** Grows with the groups: most journals are those of followers, or idle. */
  private byte[] chunk = new byte[FIRST_CHUNK_BYTES];

  private final List<PendingRecord> unplaced = new ArrayList<>();
  private int chunkLength;
  private int segment;
  private long segmentStart;
  private long segmentEnd;
  private volatile boolean rollNext;
  private final RecordNumbers numbers;
  private long nextSequence;
  private long nextRecord;
  private long configurationEpoch;

  /** Whether the current group stays in its segment even if a roll is requested meanwhile. */
  private boolean staysInSegment;

  private volatile long appended;
  private volatile long synced;
  private final AtomicLong syncs = new AtomicLong();

  GroupWriter(
      SegmentStore store,
      JournalOptions options,
      RecoveredLog log,
      SegmentInfos segments,
      RecordNumbers numbers)
      throws IOException {
    this.store = store;
    this.segmentBytes = options.segmentBytes();
    this.epoch = log.epoch() + 1;
    this.configurationEpoch = log.configurationEpoch();
    this.segments = segments;
    this.numbers = numbers;
    this.nextRecord = log.nextRecord();
    this.nextSequence = log.nextSequence();
    this.synced = nextSequence - 1;
    startSegment(log.newestNumber() + 1, segments.newestNumber());
  }

  private void startSegment(int number, int previous) throws IOException {
    SegmentHeader header =
        new SegmentHeader(epoch, number, previous, nextRecord, configurationEpoch);
    byte[] body = header.toBytes();
    long sequence = nextSequence;
    frame(RecordFormat.HEADER, RecordFormat.FIRST | RecordFormat.LAST, body, 0, body.length);
    segmentStart = store.create(number, chunk, chunkLength);
    segment = number;
    segmentEnd = segmentStart + chunkLength;
    chunkLength = 0;
    appended = sequence;
    synced = sequence;
    segments.add(new SegmentInfo(header, (int) segmentStart, sequence));
  }

  /**
   * Whether a group fits into one chunk and into the segment's current extent. Appending it, which
   * must follow, then creates and extends no file.
   */
  boolean fitsInPlace(List<PendingRecord> group) {
    long bytes = 0;
    for (int i = 0; i < group.size(); i++) {
      int length = group.get(i).length();
      if (length > RecordFormat.FRAGMENT_BYTES) {
        return false;
      }
      bytes += RecordFormat.frameBytes(length);
    }
    staysInSegment =
        !rollNext
            && bytes <= SegmentStore.MAX_CHUNK_BYTES
            && bytes <= store.room()
            && segmentEnd + bytes - segmentStart <= segmentBytes;
    return staysInSegment;
  }

  /** Appends a group and sets the positions of its records. */
  void append(List<PendingRecord> group) throws IOException {
    for (int i = 0; i < group.size(); i++) {
      append(group.get(i));
    }
    flush();
    staysInSegment = false;
  }

  private void append(PendingRecord pending) throws IOException {
    int from = 0;
    do {
      int length = Math.min(pending.length() - from, RecordFormat.FRAGMENT_BYTES);
      makeRoom(RecordFormat.frameBytes(length));
      int flags = from + length == pending.length() ? RecordFormat.LAST : 0;
      if (from == 0) {
        flags |= RecordFormat.FIRST;
        pending.begin(nextRecord++, nextSequence, chunkLength);
        unplaced.add(pending);
      }
      frame(pending.kind(), flags, pending.body(), from, length);
      from += length;
    } while (from < pending.length());
  }

  private void frame(byte kind, int flags, byte[] body, int from, int length) {
    Head head = new Head(kind, flags, length, nextSequence++, synced);
    chunkLength = RecordFormat.write(chunk, chunkLength, head, body, from);
  }

  private void makeRoom(int frameBytes) throws IOException {
    long used = segmentEnd + chunkLength - segmentStart;
    boolean isFull = used + frameBytes > segmentBytes && used > RecordFormat.frameBytes(16);
    if (isFull || (rollNext && !staysInSegment)) {
      flush();
      roll();
    } else if (chunkLength + frameBytes > SegmentStore.MAX_CHUNK_BYTES) {
      flush();
    }
    int needed = chunkLength + frameBytes;
    if (needed > chunk.length) {
      int larger = Math.max(needed, 2 * chunk.length);
      chunk = Arrays.copyOf(chunk, Math.min(larger, SegmentStore.MAX_CHUNK_BYTES));
    }
  }

  private void flush() throws IOException {
    if (chunkLength == 0) {
      return;
    }
    long start = store.append(chunk, chunkLength);
    segmentEnd = start + chunkLength;
    chunkLength = 0;
    for (int i = 0; i < unplaced.size(); i++) {
      PendingRecord pending = unplaced.get(i);
      pending.place(Position.of(segment, start + pending.position()));
      numbers.add(pending.number(), pending.position());
    }
    unplaced.clear();
    appended = nextSequence - 1;
  }

  private void roll() throws IOException {
    rollNext = false;
    force();
    startSegment(segment + 1, segment);
  }

  /** Begins a segment for records of another configuration epoch. Called between two groups. */
  void beginEpoch(long epochOfNext) throws IOException {
    configurationEpoch = epochOfNext;
    roll();
  }

  /**
   * Resumes the log before a record instead of after the last one, in a new segment with a
   * configuration epoch. Called between two groups.
   *
   * @param lastKept the segment that the new one continues; all later ones are deleted
   * @param sequence the sequence of the record's first frame
   */
  void goBack(int lastKept, long sequence, long record, long epochOfNext) throws IOException {
    nextSequence = sequence;
    nextRecord = record;
    configurationEpoch = epochOfNext;
    rollNext = false;
    synced = sequence - 1;
    startSegment(segment + 1, lastKept);
  }

  /** Makes the next record begin a new segment. */
  void rollBeforeNext() {
    rollNext = true;
  }

  /** Syncs everything appended. */
  void force() throws IOException {
    long upTo = appended;
    if (upTo > synced) {
      if (FlightRecorder.isInitialized()) {
        SyncEvent event = new SyncEvent();
        event.begin();
        store.force(segment);
        event.records = upTo - synced;
        event.commit();
      } else {
        store.force(segment);
      }
      synced = upTo;
      syncs.incrementAndGet();
    }
  }

  /** Marks the orderly end of the log. */
  void appendClosed() throws IOException {
    makeRoom(RecordFormat.frameBytes(0));
    frame(RecordFormat.CLOSED, RecordFormat.FIRST | RecordFormat.LAST, new byte[0], 0, 0);
    flush();
  }

  long epoch() {
    return epoch;
  }

  long appended() {
    return appended;
  }

  long synced() {
    return synced;
  }

  /** The number of the next record. Only for the flushing thread. */
  long nextRecord() {
    return nextRecord;
  }

  long syncs() {
    return syncs.get();
  }
}
