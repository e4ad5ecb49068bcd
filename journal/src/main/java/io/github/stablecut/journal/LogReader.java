package io.github.stablecut.journal;

import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.journal.segment.LargeRecords;
import io.github.stablecut.journal.segment.NumberedVisitor;
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.RecordAssembler;
import io.github.stablecut.journal.segment.RecordFormat;
import io.github.stablecut.journal.segment.RecordNumbers;
import io.github.stablecut.journal.segment.SegmentBytes;
import io.github.stablecut.journal.segment.SegmentCursor;
import io.github.stablecut.journal.segment.SegmentInfo;
import io.github.stablecut.journal.segment.SegmentInfos;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.segment.SegmentView;
import io.github.stablecut.journal.segment.StoredRecord;
import java.io.IOException;
import java.lang.ref.SoftReference;
import java.nio.file.NoSuchFileException;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads records of the open log, by position or in order. Thread-safe. */
final class LogReader {
  private final SegmentStore store;
  private final SegmentInfos segments;
  private final RecordNumbers numbers;
  private final int maxRecordBytes;

  /**
   * The last record read that has several frames, as long as memory allows. It contains many items,
   * which are often looked up one after the other.
   */
  private volatile SoftReference<StoredRecord> lastLarge = new SoftReference<>(null);

  LogReader(SegmentStore store, SegmentInfos segments, RecordNumbers numbers, int maxRecordBytes) {
    this.store = store;
    this.maxRecordBytes = maxRecordBytes;
    this.segments = segments;
    this.numbers = numbers;
  }

  /** The record at a position. */
  StoredRecord read(long position) {
    StoredRecord last = lastLarge.get();
    if (last != null && last.position() == position) {
      return last;
    }
    try (SegmentView view = view(Position.segment(position))) {
      SegmentBytes bytes = view.bytes();
      int at = checkFrame(position, bytes);
      if (!RecordFormat.isFirst(bytes, at) || RecordFormat.kind(bytes, at) < 0) {
        throw new IllegalArgumentException("no record begins at " + Position.format(position));
      }
      if (RecordFormat.isLast(bytes, at)) {
        return new StoredRecord(
            position,
            RecordFormat.sequence(bytes, at),
            RecordFormat.kind(bytes, at),
            RecordFormat.body(bytes, at));
      }
    }
    return readLarge(position);
  }

  private StoredRecord readLarge(long position) {
    StoredRecord[] found = new StoredRecord[1];
    scanWhile(
        position,
        Long.MAX_VALUE,
        stored -> {
          found[0] = stored;
          return false;
        });
    lastLarge = new SoftReference<>(found[0]);
    return found[0];
  }

  /** Reads the records from a position (0: the oldest) to a sequence, in order. */
  void scan(long from, long lastSequence, Consumer<StoredRecord> visitor) {
    scanWhile(
        from,
        lastSequence,
        stored -> {
          visitor.accept(stored);
          return true;
        });
  }

  /**
   * Reads the records from a number to a sequence, in order, until the visitor stops.
   *
   * @throws IllegalArgumentException if the first record was dropped
   */
  void scanNumbers(long from, long lastSequence, NumberedVisitor visitor) {
    int cuts = numbers.cuts();
    Map.Entry<Long, Long> near = numbers.floor(from);
    if (near == null) {
      throw new IllegalArgumentException(
          "record %d was dropped or never existed: the oldest is %d"
              .formatted(from, numbers.oldest(from)));
    }
    long[] next = {near.getKey(), near.getValue()};
    scanWhile(
        near.getValue(),
        lastSequence,
        stored -> {
          long current = next[0]++;
          next[1] = stored.position();
          return current < from || visitor.accept(current, stored);
        });
    if (next[0] > near.getKey()) {
      numbers.noteRead(next[0] - 1, next[1], cuts);
    }
  }

  /**
   * Reads the records from a position to a sequence, in order, until the visitor stops. Offset 0
   * stands for the beginning of a segment.
   *
   * @throws IllegalArgumentException if the segment of a record was dropped, because the next
   *     segment found would then leave a gap
   */
  void scanWhile(long from, long lastSequence, Predicate<StoredRecord> visitor) {
    scanWhile(from, lastSequence, visitor, LargeRecords.ALL);
  }

  /**
   * Like {@link #scanWhile(long, long, Predicate)}.
   *
   * @param large decides about large records
   */
  void scanWhile(
      long from, long lastSequence, Predicate<StoredRecord> visitor, LargeRecords large) {
    RecordAssembler assembler = new RecordAssembler();
    if (Position.offset(from) == 0) {
      assembler.skipContinued();
    }
    Iterator<SegmentInfo> infos = segments.from(Position.segment(from)).iterator();
    SegmentInfo next = infos.hasNext() ? infos.next() : null;
    if (Position.offset(from) != 0 && (next == null || next.number() != Position.segment(from))) {
      throw noSegment(Position.segment(from), null);
    }
    while (next != null) {
      SegmentInfo info = next;
      next = infos.hasNext() ? infos.next() : null;
      long end = Math.min(lastSequence, next == null ? Long.MAX_VALUE : next.firstSequence() - 1);
      try (SegmentView view = view(info.number())) {
        if (!walk(cursor(info, view.bytes(), from), end, assembler, visitor, large)) {
          return;
        }
      }
    }
  }

  private boolean walk(
      SegmentCursor cursor,
      long end,
      RecordAssembler assembler,
      Predicate<StoredRecord> visitor,
      LargeRecords large) {
    while (cursor.expected() <= end) {
      if (!cursor.advance()) {
        if (!segments.has(cursor.segment())) {
          // The segment was dropped meanwhile, so the computed end is wrong.
          throw noSegment(cursor.segment(), null);
        }
        int at = cursor.suspect();
        throw damaged(cursor.segment(), at, cursor.found(at));
      }
      if (RecordFormat.kind(cursor.bytes(), cursor.at()) >= 0) {
        LargeRecords.Decision decision = decision(cursor, large);
        if (decision == LargeRecords.Decision.STOP) {
          return false;
        }
        if (decision == LargeRecords.Decision.SKIP) {
          assembler.skipContinued();
          continue;
        }
        Optional<StoredRecord> stored = assembler.accept(cursor);
        if (stored.isPresent() && !visitor.test(stored.get())) {
          return false;
        }
      }
    }
    return true;
  }

  private LargeRecords.Decision decision(SegmentCursor cursor, LargeRecords large) {
    SegmentBytes bytes = cursor.bytes();
    int at = cursor.at();
    long length = RecordFormat.isLast(bytes, at) ? RecordFormat.length(bytes, at) : maxRecordBytes;
    return RecordFormat.isFirst(bytes, at) && length > LargeRecords.LARGE_BYTES
        ? large.decide(Position.of(cursor.segment(), at), length)
        : LargeRecords.Decision.READ;
  }

  private SegmentCursor cursor(SegmentInfo info, SegmentBytes bytes, long from) {
    if (info.number() == Position.segment(from) && Position.offset(from) != 0) {
      int at = checkFrame(from, bytes);
      return new SegmentCursor(info.number(), bytes, at, RecordFormat.sequence(bytes, at));
    }
    return new SegmentCursor(info.number(), bytes, info.start(), info.firstSequence());
  }

  /** The offset of a position, after checking that a valid frame starts there. */
  private int checkFrame(long position, SegmentBytes bytes) {
    int at = Position.offset(position);
    if (at < 0 || at > bytes.length() - RecordFormat.BODY_AT) {
      throw new IllegalArgumentException("no record is at " + Position.format(position));
    }
    if (!RecordFormat.isFrameLike(bytes, at) || !RecordFormat.isIntact(bytes, at)) {
      throw damaged(Position.segment(position), at, "something else");
    }
    return at;
  }

  private SegmentView view(int segment) {
    try {
      return store.view(segment);
    } catch (NoSuchFileException e) {
      throw noSegment(segment, e);
    } catch (IOException e) {
      throw JournalFailedException.because(store.nameOf(segment), "can't be read", e);
    }
  }

  private static IllegalArgumentException noSegment(int segment, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "segment " + segment + " was dropped or never existed", cause);
  }

  private CorruptJournalException damaged(int segment, int at, String found) {
    return new CorruptJournalException(
        store.nameOf(segment)
            + ", offset "
            + at
            + ": expected a record, found "
            + found
            + ": restore this segment from a copy, or the directory from a backup");
  }
}
