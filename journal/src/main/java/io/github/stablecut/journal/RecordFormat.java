package io.github.stablecut.journal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The format of the journal, version 2. Everything is little-endian.
 *
 * <h2>Frame</h2>
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|                            crc32c                             |
 *   +---------------+---------------+---------------+---------------+
 *  4|  magic 0xC5   |     kind      |     flags     |    version    |
 *   +---------------+---------------+---------------+---------------+
 *  8|                            length                             |
 *   +---------------------------------------------------------------+
 * 12|                           sequence                            |
 *   |                                                               |
 *   +---------------------------------------------------------------+
 * 20|                         durableUpTo                           |
 *   |                                                               |
 *   +---------------------------------------------------------------+
 * 28|                     body: length bytes                      ...
 *   +---------------------------------------------------------------+
 *    then 0 to 3 zero bytes, so that frames that follow each other start at a multiple of 4
 * </pre>
 *
 * <ul>
 *   <li>{@code crc32c} covers everything behind it, up to the end of the body.
 *   <li>{@code kind} is the caller's from 0 to 127; the journal's own are {@link #HEADER} and
 *       {@link #CLOSED}.
 *   <li>{@code flags}: 1 the first, 2 the last frame of its record. A body above {@link
 *       #FRAGMENT_BYTES} is cut into several frames; no other record comes between them, but a
 *       segment header may.
 *   <li>{@code sequence} is one more than that of the frame before it, over all segments, from 1.
 *   <li>{@code durableUpTo} is the sequence up to which everything was known to be synced when the
 *       frame was made. Always below {@code sequence}.
 * </ul>
 *
 * <p>A frame is <em>valid</em> if its magic, version, length and checksum are right. The frames of
 * a chunk ({@link SegmentStore#append}) follow each other; between chunks the store may have bytes
 * of its own, which nobody here reads: a reader looks for the next valid frame with the sequence it
 * expects, at multiples of 4.
 *
 * <h2>Segment</h2>
 *
 * <p>Segments are numbered from 1 and never used again after a restart; {@link JournalDirectory}
 * says how their files are called. The first frame of each is of kind {@link #HEADER}, and is
 * durable before anything follows it:
 *
 * <pre>
 *   0  epoch             8 bytes  how often the journal was opened, this time included
 *   8  segment           4 bytes  its own number
 *  12  previous segment  4 bytes  the segment that it continues; 0 for none
 *  16  first record      8 bytes  the number of the first record that begins in it; not in version 1
 *  24  layout epoch      8 bytes  the epoch of the partition's layout that its records were written
 *                                 in; only where the partition has copies
 * </pre>
 *
 * <p>Records are numbered from 1, over all segments and openings, without gaps: record 4,711 of a
 * partition is the same one on every copy of its log. A frame does not carry its record's number:
 * it follows from the header of the segment in which the record begins, and the records that begin
 * before it there. In segments of version 1 records have numbers too, counted from the sequence of
 * the oldest segment's header, so they change when older segments are dropped.
 *
 * <p>A header <em>seals</em> the previous segment: that one ends before the header's sequence,
 * whatever else it contains. Where a partition has copies, a header also cuts off records that were
 * synced and that only this copy has: then it continues a segment before the newest one, those
 * between them are not part of the log any more, and are deleted. The epoch of a record is that of
 * the last header at or before it. The last frame after an orderly close is of kind {@link #CLOSED}
 * and has no body.
 *
 * <h2>What a crash can leave</h2>
 *
 * <p>After a crash the last segment may be cut off anywhere, and any page of it that was not synced
 * may be missing. The log ends before the first frame x that is missing or not valid, or before the
 * first frame of x's record if that has begun. If a valid frame behind x has a {@code durableUpTo}
 * of x or more, or a header seals at a sequence above x, then x was acknowledged and is damaged:
 * the journal doesn't open. Otherwise what follows x is a <em>torn tail</em>, which the next header
 * cuts off for ever; {@link TornTail} says when it may be the last group that was synced, damaged
 * since. A last segment without any valid frame was being created, and is deleted.
 *
 * <p>That a frame behind the greatest {@code durableUpTo} can be read does not mean that it is on
 * the medium: a sync may have failed, and the operating system may show what it did not write. An
 * open writes these frames anew and syncs them before anybody is told of them ({@link
 * SegmentStore#rewrite}).
 *
 * <p>Beside the segments the store remembers how far the log goes ({@link SegmentStore.Extent}): a
 * newest segment that is missing or empty, and a log that ends before its end at the last orderly
 * close or checkpoint, are damage. What nobody can find is that a crash has left more than there is
 * now: the end of the last segment was cut off behind the newest checkpoint and the last frame that
 * a {@code durableUpTo} speaks of, or the newest segment was deleted together with what the store
 * remembers.
 *
 * <p>A journal that is synced together with others ({@link SyncPolicy.Joint}) is cut off before a
 * record that its owner has noted ({@link JournalOptions#end}): everything before it has to be
 * there and valid, and what is behind it, segments included, is not read. The next header cuts it
 * off for ever.
 *
 * <p>Example. Segments 4 and 5 as the second power cut found them ({@code d} is {@code
 * durableUpTo}, every frame a record):
 *
 * <pre>
 *   segment 4   HEADER seq 31 (epoch 2, previous 3)   32 d31   33 d31   -- lost --   35 d33
 *   segment 5   HEADER seq 34 (epoch 3, previous 4)   35 d34   36 d34   -- torn --
 * </pre>
 *
 * <p>The first cut lost frame 34, and 35 behind it proves no more than that 33 was synced, so epoch
 * 3 began with sequence 34. Since then segment 4 ends before 34, and the 35 in it is never seen
 * again. The second cut lost 37: the next open continues with a header of sequence 37, epoch 4 and
 * previous segment 5 in segment 6. Had 36 been damaged instead, and a frame 37 with d36 been there,
 * the open would have been refused.
 */
final class RecordFormat {
  static final int VERSION = 2;

  /** The kind of the first frame of each segment. */
  static final byte HEADER = -1;

  /** The kind of the last frame after an orderly close. */
  static final byte CLOSED = -2;

  static final int FIRST = 1;
  static final int LAST = 2;

  /** The most body bytes in one frame. */
  static final int FRAGMENT_BYTES = 1 << 20;

  static final int ALIGNMENT = 4;

  private static final byte MAGIC = (byte) 0xC5;
  private static final int CRC_AT = 0;
  private static final int MAGIC_AT = 4;
  private static final int KIND_AT = 5;
  private static final int FLAGS_AT = 6;
  private static final int VERSION_AT = 7;
  private static final int LENGTH_AT = 8;
  private static final int SEQUENCE_AT = 12;
  private static final int DURABLE_AT = 20;
  static final int BODY_AT = 28;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BUFFER_INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BUFFER_LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private RecordFormat() {}

  /** The bytes that a frame with this body takes, the padding included. */
  static int frameBytes(int bodyBytes) {
    return BODY_AT + bodyBytes + ALIGNMENT - 1 & -ALIGNMENT;
  }

  /**
   * Writes a frame and its padding.
   *
   * @return the offset behind it
   */
  static int write(byte[] target, int at, Head head, byte[] body, int from) {
    target[at + MAGIC_AT] = MAGIC;
    target[at + KIND_AT] = head.kind;
    target[at + FLAGS_AT] = (byte) head.flags;
    target[at + VERSION_AT] = VERSION;
    INT.set(target, at + LENGTH_AT, head.length);
    LONG.set(target, at + SEQUENCE_AT, head.sequence);
    LONG.set(target, at + DURABLE_AT, head.durableUpTo);
    System.arraycopy(body, from, target, at + BODY_AT, head.length);
    CRC32C crc = new CRC32C();
    crc.update(target, at + MAGIC_AT, BODY_AT - MAGIC_AT + head.length);
    INT.set(target, at + CRC_AT, (int) crc.getValue());
    int end = at + BODY_AT + head.length;
    int padded = at + frameBytes(head.length);
    while (end < padded) {
      target[end++] = 0;
    }
    return padded;
  }

  /** Whether a frame could start at an offset: magic and length are possible. */
  static boolean isFrameLike(ByteBuffer segment, int at) {
    if (segment.get(at + MAGIC_AT) != MAGIC) {
      return false;
    }
    int length = length(segment, at);
    return length >= 0 && length <= FRAGMENT_BYTES && length <= segment.capacity() - BODY_AT - at;
  }

  /** Whether the checksum of what looks like a frame is right. */
  static boolean isIntact(ByteBuffer segment, int at) {
    CRC32C crc = new CRC32C();
    crc.update(segment.slice(at + MAGIC_AT, BODY_AT - MAGIC_AT + length(segment, at)));
    return (int) crc.getValue() == (int) BUFFER_INT.get(segment, at + CRC_AT);
  }

  static byte kind(ByteBuffer segment, int at) {
    return segment.get(at + KIND_AT);
  }

  static boolean isFirst(ByteBuffer segment, int at) {
    return (segment.get(at + FLAGS_AT) & FIRST) != 0;
  }

  static boolean isLast(ByteBuffer segment, int at) {
    return (segment.get(at + FLAGS_AT) & LAST) != 0;
  }

  static int version(ByteBuffer segment, int at) {
    return segment.get(at + VERSION_AT) & 0xff;
  }

  static int length(ByteBuffer segment, int at) {
    return (int) BUFFER_INT.get(segment, at + LENGTH_AT);
  }

  static long sequence(ByteBuffer segment, int at) {
    return (long) BUFFER_LONG.get(segment, at + SEQUENCE_AT);
  }

  static long durableUpTo(ByteBuffer segment, int at) {
    return (long) BUFFER_LONG.get(segment, at + DURABLE_AT);
  }

  /** A copy of the body of the frame at an offset. */
  static byte[] body(ByteBuffer segment, int at) {
    byte[] body = new byte[length(segment, at)];
    segment.get(at + BODY_AT, body);
    return body;
  }

  /** What a frame says beside its body. Immutable. */
  record Head(byte kind, int flags, int length, long sequence, long durableUpTo) {}

  /**
   * The body of a segment's first frame. Immutable.
   *
   * @param epoch how often the journal was opened, this time included
   * @param segment the segment's own number
   * @param previous the segment that it continues; 0 for none
   * @param firstRecord the number of the first record that begins in it; {@link #UNKNOWN} in
   *     version 1
   * @param configurationEpoch the epoch of its records; 0 without copies
   */
  record SegmentHeader(
      long epoch, int segment, int previous, long firstRecord, long configurationEpoch) {
    static final long UNKNOWN = 0;

    private static final int BYTES = 24;
    private static final int BYTES_WITH_LAYOUT = 32;
    private static final int BYTES_OF_VERSION_1 = 16;

    byte[] toBytes() {
      byte[] bytes = new byte[configurationEpoch == 0 ? BYTES : BYTES_WITH_LAYOUT];
      if (configurationEpoch != 0) {
        LONG.set(bytes, 24, configurationEpoch);
      }
      LONG.set(bytes, 0, epoch);
      INT.set(bytes, 8, segment);
      INT.set(bytes, 12, previous);
      LONG.set(bytes, 16, firstRecord);
      return bytes;
    }

    /** Reads the body of a valid frame of kind {@link #HEADER}. */
    static SegmentHeader read(ByteBuffer segment, int at) {
      byte[] body = body(segment, at);
      return new SegmentHeader(
          (long) LONG.get(body, 0),
          (int) INT.get(body, 8),
          (int) INT.get(body, 12),
          body.length == BYTES_OF_VERSION_1 ? UNKNOWN : (long) LONG.get(body, 16),
          body.length < BYTES_WITH_LAYOUT ? 0 : (long) LONG.get(body, 24));
    }
  }
}
