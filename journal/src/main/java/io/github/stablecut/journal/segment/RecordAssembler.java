package io.github.stablecut.journal.segment;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Assembles large records from their frames. Receives all frames of the log in order, except
 * segment headers. Confined to one thread.
 */
public final class RecordAssembler {
  private final List<byte[]> fragments = new ArrayList<>();
  private long position;
  private long sequence;
  private long number;
  private long nextNumber;
  private byte kind;
  private boolean isSkipping;

  /** Adds the frame at a cursor, and returns the record that it completes, if any. */
  public Optional<StoredRecord> accept(SegmentCursor cursor) {
    SegmentBytes bytes = cursor.bytes();
    int at = cursor.at();
    boolean first = RecordFormat.isFirst(bytes, at);
    if (isSkipping && !first) {
      return Optional.empty();
    }
    isSkipping = false;
    if (first == isOpen() || (!first && kind != RecordFormat.kind(bytes, at))) {
      throw new CorruptJournalException(
          "segment "
              + cursor.segment()
              + ", offset "
              + at
              + ": the frame doesn't continue the previous record, though its checksum is right:"
              + " report this");
    }
    if (first) {
      position = Position.of(cursor.segment(), at);
      sequence = RecordFormat.sequence(bytes, at);
      kind = RecordFormat.kind(bytes, at);
      number = nextNumber++;
    }
    byte[] fragment = RecordFormat.body(bytes, at);
    if (RecordFormat.isLast(bytes, at)) {
      return Optional.of(new StoredRecord(position, sequence, kind, join(fragment)));
    }
    fragments.add(fragment);
    return Optional.empty();
  }

  /** Joins the fragments with the last one, and clears them. */
  private byte[] join(byte[] last) {
    if (fragments.isEmpty()) {
      return last;
    }
    int length = last.length;
    for (byte[] fragment : fragments) {
      length = Math.addExact(length, fragment.length);
    }
    fragments.add(last);
    byte[] body = new byte[length];
    int at = 0;
    for (byte[] fragment : fragments) {
      System.arraycopy(fragment, 0, body, at, fragment.length);
      at += fragment.length;
    }
    fragments.clear();
    return body;
  }

  /** Skips the frames before the next first frame of a record. */
  public void skipContinued() {
    isSkipping = true;
  }

  /** Sets the number of the next record. */
  public void countFrom(long first) {
    nextNumber = first;
  }

  /** The number of the next record to begin. */
  public long nextNumber() {
    return nextNumber;
  }

  /** The number of the last record that has begun. */
  public long number() {
    return number;
  }

  /** Discards the incomplete record. */
  public void clear() {
    fragments.clear();
  }

  /** Whether a record is incomplete. */
  public boolean isOpen() {
    return !fragments.isEmpty();
  }

  /** The position of the last record that has begun. */
  public long position() {
    return position;
  }

  /** The sequence of the first frame of that record. */
  public long sequence() {
    return sequence;
  }
}
