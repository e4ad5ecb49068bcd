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
  private final List<ByteBuffer> parts = new ArrayList<>();
  private long position;
  private long sequence;
  private byte kind;
  private int length;

  /** The record that is complete with the frame that the cursor is at, if one is. */
  Optional<StoredRecord> accept(SegmentCursor cursor) {
    return accept(cursor.segment(), cursor.bytes(), cursor.at());
  }

  /** The record that is complete with the frame at an offset, if one is. */
  Optional<StoredRecord> accept(int segment, ByteBuffer bytes, int at) {
    boolean first = RecordFormat.isFirst(bytes, at);
    if (first == isOpen() || (!first && kind != RecordFormat.kind(bytes, at))) {
      throw new CorruptJournalException(
          "segment "
              + segment
              + ", offset "
              + at
              + ": the frame doesn't continue the record before it, though its checksum is right:"
              + " report this");
    }
    if (first) {
      position = Position.of(segment, at);
      sequence = RecordFormat.sequence(bytes, at);
      kind = RecordFormat.kind(bytes, at);
    }
    ByteBuffer part = RecordFormat.body(bytes, at);
    if (first && RecordFormat.isLast(bytes, at)) {
      return Optional.of(new StoredRecord(position, sequence, kind, part));
    }
    parts.add(part);
    length = Math.addExact(length, part.capacity());
    return RecordFormat.isLast(bytes, at) ? Optional.of(join()) : Optional.empty();
  }

  private StoredRecord join() {
    ByteBuffer body = ByteBuffer.allocate(length);
    for (ByteBuffer part : parts) {
      body.put(part);
    }
    parts.clear();
    length = 0;
    return new StoredRecord(position, sequence, kind, body.flip().asReadOnlyBuffer());
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
