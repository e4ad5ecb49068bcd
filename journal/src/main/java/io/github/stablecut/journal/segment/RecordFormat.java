package io.github.stablecut.journal.segment;

import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.SyncPolicy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The format of the journal, version 2. All numbers are little-endian.
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
 *    then 0 to 3 zero bytes, so that consecutive frames start at a multiple of 4
 * </pre>
 *
 * <ul>
 *   <li>{@code crc32c} covers everything after it, up to the end of the body.
 *   <li>{@code kind} belongs to the caller from 0 to 127; the journal's own kinds are {@link
 *       #HEADER} and {@link #CLOSED}.
 *   <li>{@code flags}: 1 for the first, 2 for the last frame of its record. A body above {@link
 *       #FRAGMENT_BYTES} is split into several frames; no other record comes between them, but a
 *       segment header may.
 *   <li>{@code sequence} counts frames from 1 across all segments, without gaps.
 *   <li>{@code durableUpTo} is the sequence up to which everything was known to be synced when the
 *       frame was created. Always below {@code sequence}.
 * </ul>
 *
 * <p>A frame is <em>valid</em> if its magic, version, length and checksum are right. The frames of
 * a chunk ({@link SegmentStore#append}) are contiguous. Between chunks the store may have bytes of
 * its own, which the journal ignores: a reader searches at multiples of 4 for the next valid frame
 * with the expected sequence.
 *
 * <h2>Segment</h2>
 *
 * <p>Segments are numbered from 1, and no process appends to a segment of an earlier one. {@link
 * JournalDirectory} defines their file names. The first frame of each is of kind {@link #HEADER},
 * and is durable before anything follows it:
 *
 * <pre>
 *   0  epoch             8 bytes  how many times the journal was opened, including this time
 *   8  segment           4 bytes  its own number
 *  12  previous segment  4 bytes  the segment that it continues; 0 for none
 *  16  first record      8 bytes  the number of the first record that begins in it; not in version 1
 *  24  configuration     8 bytes  the configuration epoch in which its records were written;
 *                                    only where the partition has replicas
 * </pre>
 *
 * <p>Records are numbered from 1 across all segments and openings, without gaps: record 4,711 of a
 * partition is the same in every replica of its log. A frame doesn't contain its record's number.
 * The number follows from the header of the segment in which the record begins, and from the
 * records that begin before it there. In segments of version 1, records are numbered from the
 * sequence of the oldest segment's header, so the numbers change when older segments are dropped.
 *
 * <p>A header <em>seals</em> the previous segment, which ends before the header's sequence,
 * whatever else it contains. Where a partition has replicas, a header also cuts off synced records
 * that only this replica has. It then continues a segment before the newest one; those between them
 * no longer belong to the log, and are deleted. The epoch of a record is that of the last header at
 * or before it. The last frame after an orderly close is of kind {@link #CLOSED} and has no body.
 *
 * <h2>What a crash can leave</h2>
 *
 * <p>After a crash the last segment may be cut off anywhere, and any unsynced page of it may be
 * missing. The log ends before the first frame x that is missing or invalid, or before the first
 * frame of x's record if that has begun. If a valid frame after x has a {@code durableUpTo} of x or
 * more, or a header seals at a sequence above x, then x was acknowledged and is damaged. The
 * journal then doesn't open. Otherwise what follows x is a <em>torn tail</em>, which the next
 * header cuts off for good; {@link TornTail} explains when it may be the last synced group, damaged
 * since. A last segment without any valid frame was being created, and is deleted.
 *
 * <p>A readable frame after the greatest {@code durableUpTo} is not necessarily on the medium: a
 * sync may have failed, and the operating system may show what it did not write. An open rewrites
 * these frames and syncs them before it announces them ({@link SegmentStore#rewrite}).
 *
 * <p>Beside the segments the store records the extent of the log ({@link SegmentStore.Extent}). A
 * newest segment that is missing or empty is damage, and so is a log that ends before its end at
 * the last orderly close or checkpoint. Two losses after a crash can't be detected: the end of the
 * last segment after the newest checkpoint and the last {@code durableUpTo}; and the newest segment
 * together with the recorded extent.
 *
 * <p>A journal that is synced together with others ({@link SyncPolicy.Joint}) is cut off before a
 * record that its owner has noted ({@link JournalOptions#end}). Everything before it must be
 * present and valid; what follows it, including segments, is not read. The next header cuts it off
 * for good.
 *
 * <p>Example: segments 4 and 5 after the second power failure ({@code d} is {@code durableUpTo},
 * every frame a record):
 *
 * <pre>
 *   segment 4   HEADER seq 31 (epoch 2, previous 3)   32 d31   33 d31   -- lost --   35 d33
 *   segment 5   HEADER seq 34 (epoch 3, previous 4)   35 d34   36 d34   -- torn --
 * </pre>
 *
 * <p>The first failure lost frame 34. Frame 35 after it proves only that 33 was synced, so epoch 3
 * began with sequence 34. From then on segment 4 ends before 34, and the 35 in it is ignored. The
 * second failure lost 37: the next open continues in segment 6, with a header of sequence 37, epoch
 * 4 and previous segment 5. Had 36 been damaged instead, and a frame 37 with d36 been present, the
 * open would have been refused.
 */
public final class RecordFormat {
  public static final int VERSION = 2;

  /** The kind of the first frame of each segment. */
  public static final byte HEADER = -1;

  /** The kind of the last frame after an orderly close. */
  public static final byte CLOSED = -2;

  public static final int FIRST = 1;
  public static final int LAST = 2;

  /** The maximum number of body bytes in one frame. */
  public static final int FRAGMENT_BYTES = 1 << 20;

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
  public static final int BODY_AT = 28;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private RecordFormat() {}

  /** The bytes of a frame with this body, including padding. */
  public static int frameBytes(int bodyBytes) {
    return BODY_AT + bodyBytes + ALIGNMENT - 1 & -ALIGNMENT;
  }

  /**
   * Writes a frame and its padding.
   *
   * @return the offset after it
   */
  public static int write(byte[] target, int at, Head head, byte[] body, int from) {
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
  public static boolean isFrameLike(SegmentBytes segment, int at) {
    if (segment.get(at + MAGIC_AT) != MAGIC) {
      return false;
    }
    int length = length(segment, at);
    return length >= 0 && length <= FRAGMENT_BYTES && length <= segment.length() - BODY_AT - at;
  }

  /** Whether a possible frame has the right checksum. */
  public static boolean isIntact(SegmentBytes segment, int at) {
    int crc = segment.crc(at + MAGIC_AT, BODY_AT - MAGIC_AT + length(segment, at));
    return crc == segment.getInt(at + CRC_AT);
  }

  public static byte kind(SegmentBytes segment, int at) {
    return segment.get(at + KIND_AT);
  }

  public static boolean isFirst(SegmentBytes segment, int at) {
    return (segment.get(at + FLAGS_AT) & FIRST) != 0;
  }

  public static boolean isLast(SegmentBytes segment, int at) {
    return (segment.get(at + FLAGS_AT) & LAST) != 0;
  }

  public static int version(SegmentBytes segment, int at) {
    return segment.get(at + VERSION_AT) & 0xff;
  }

  public static int length(SegmentBytes segment, int at) {
    return segment.getInt(at + LENGTH_AT);
  }

  public static long sequence(SegmentBytes segment, int at) {
    return segment.getLong(at + SEQUENCE_AT);
  }

  public static long durableUpTo(SegmentBytes segment, int at) {
    return segment.getLong(at + DURABLE_AT);
  }

  /** A copy of the body of the frame at an offset. */
  public static byte[] body(SegmentBytes segment, int at) {
    return segment.copy(at + BODY_AT, length(segment, at));
  }

  /** The head of a frame. Immutable. */
  public record Head(byte kind, int flags, int length, long sequence, long durableUpTo) {}

  /**
   * The body of a segment's first frame. Immutable.
   *
   * @param epoch how many times the journal was opened, including this time
   * @param segment the segment's own number
   * @param previous the segment that it continues; 0 for none
   * @param firstRecord the number of the first record that begins in it; {@link #UNKNOWN} in
   *     version 1
   * @param configurationEpoch the configuration epoch of its records; 0 without replicas
   */
  public record SegmentHeader(
      long epoch, int segment, int previous, long firstRecord, long configurationEpoch) {
    public static final long UNKNOWN = 0;

    private static final int BYTES = 24;
    private static final int BYTES_WITH_CONFIGURATION = 32;
    private static final int BYTES_OF_VERSION_1 = 16;

    public byte[] toBytes() {
      byte[] bytes = new byte[configurationEpoch == 0 ? BYTES : BYTES_WITH_CONFIGURATION];
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
    public static SegmentHeader read(SegmentBytes segment, int at) {
      byte[] body = body(segment, at);
      return new SegmentHeader(
          (long) LONG.get(body, 0),
          (int) INT.get(body, 8),
          (int) INT.get(body, 12),
          body.length == BYTES_OF_VERSION_1 ? UNKNOWN : (long) LONG.get(body, 16),
          body.length < BYTES_WITH_CONFIGURATION ? 0 : (long) LONG.get(body, 24));
    }
  }
}
