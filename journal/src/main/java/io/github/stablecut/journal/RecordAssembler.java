package io.github.stablecut.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Puts the frames of large records together. Fed with all frames of the log in order, segment
 * headers left out. Confined to one thread.
 */
final class RecordAssembler {
  private final List<byte[]> parts = new ArrayList<>();
  private long position;
  private long sequence;
  private long number;
  private long nextNumber;
  private byte kind;
  private boolean isSkipping;

  /** The record that is complete with the frame that the cursor is at, if one is. */
  Optional<StoredRecord> accept(SegmentCursor cursor) {
    ByteBuffer bytes = cursor.bytes();
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
              + ": the frame doesn't continue the record before it, though its checksum is right:"
              + " report this");
    }
    if (first) {
      position = Position.of(cursor.segment(), at);
      sequence = RecordFormat.sequence(bytes, at);
      kind = RecordFormat.kind(bytes, at);
      number = nextNumber++;
    }
    byte[] part = RecordFormat.body(bytes, at);
    if (RecordFormat.isLast(bytes, at)) {
      return Optional.of(new StoredRecord(position, sequence, kind, join(part)));
    }
    parts.add(part);
    return Optional.empty();
  }

  /** All parts with the last one; none are left. */
  private byte[] join(byte[] last) {
    if (parts.isEmpty()) {
      return last;
    }
    int length = last.length;
    for (byte[] part : parts) {
      length = Math.addExact(length, part.length);
    }
    parts.add(last);
    byte[] body = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, body, at, part.length);
      at += part.length;
    }
    parts.clear();
    return body;
  }

  /** Frames before the first frame of a record belong to one that is not of interest. */
  void skipContinued() {
    isSkipping = true;
  }

  /** From now on records are counted from a number. */
  void countFrom(long first) {
    nextNumber = first;
  }

  /** The number of the record that begins next. */
  long nextNumber() {
    return nextNumber;
  }

  /** The number of the record that was begun last. */
  long number() {
    return number;
  }

  /** Forgets the record that has begun. */
  void clear() {
    parts.clear();
  }

  /** Whether a record has begun and isn't complete. */
  boolean isOpen() {
    return !parts.isEmpty();
  }

  /** Where the record that has begun is. */
  long position() {
    return position;
  }

  /** The sequence of the first frame of the record that has begun. */
  long sequence() {
    return sequence;
  }
}
