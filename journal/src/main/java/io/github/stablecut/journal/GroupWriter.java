package io.github.stablecut.journal;

import io.github.stablecut.journal.RecordFormat.Head;
import io.github.stablecut.journal.RecordFormat.SegmentHeader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.FlightRecorder;

/**
 * Frames records, gathers the frames in chunks, appends these to the store and forces them; starts
 * a new segment when one is full.
 *
 * <p>Invariant: all of a segment is synced before the header of the next one exists.
 *
 * <p>Confined to the flushing thread; what {@link JournalStatus} shows may be read by others.
 */
final class GroupWriter {
  private final SegmentStore store;
  private final int segmentBytes;
  private final long epoch;
  private final SegmentInfos segments;

  private final byte[] chunk = new byte[SegmentStore.MAX_CHUNK_BYTES];
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

  /** Whether the current group stays in the segment, whatever is asked for meanwhile. */
  private boolean isStaying;

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
   * Whether a group takes one chunk, for which the segment has room as it is. Then appending it,
   * which is to follow, creates and extends nothing.
   */
  boolean isPlain(List<PendingRecord> group) {
    long bytes = 0;
    for (int i = 0; i < group.size(); i++) {
      int length = group.get(i).length();
      if (length > RecordFormat.FRAGMENT_BYTES) {
        return false;
      }
      bytes += RecordFormat.frameBytes(length);
    }
    isStaying =
        !rollNext
            && bytes <= chunk.length
            && bytes <= store.room()
            && segmentEnd + bytes - segmentStart <= segmentBytes;
    return isStaying;
  }

  /** Appends a group; afterwards its records have their positions. */
  void append(List<PendingRecord> group) throws IOException {
    for (int i = 0; i < group.size(); i++) {
      append(group.get(i));
    }
    flush();
    isStaying = false;
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
    if (isFull || (rollNext && !isStaying)) {
      flush();
      roll();
    } else if (chunkLength + frameBytes > chunk.length) {
      flush();
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

  /** Begins a segment for records of another epoch of the layout. Between two groups. */
  void beginEpoch(long of) throws IOException {
    configurationEpoch = of;
    roll();
  }

  /**
   * Goes on before a record instead of behind the last one, in a new segment for records of an
   * epoch. Between two groups.
   *
   * @param lastKept the segment that the new one continues; all later ones are deleted
   * @param sequence that of the record's first frame
   */
  void goBack(int lastKept, long sequence, long record, long epochOfNext) throws IOException {
    nextSequence = sequence;
    nextRecord = record;
    configurationEpoch = epochOfNext;
    rollNext = false;
    synced = sequence - 1;
    startSegment(segment + 1, lastKept);
  }

  /** Has the next record begin a new segment. */
  void rollBeforeNext() {
    rollNext = true;
  }

  /** Syncs all that was appended. */
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

  /** The number that the next record gets. Only for the flushing thread. */
  long nextRecord() {
    return nextRecord;
  }

  long syncs() {
    return syncs.get();
  }
}
