package io.github.stablecut.checkpoint.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The format of runs and history files, version 2. All numbers are little-endian. A file is written
 * once, from front to back, and never changed. Version 1, which is also read, has no filter.
 *
 * <pre>
 *   header      16 bytes
 *   entries     in the order of their ids, each id once
 *               zeros up to the next multiple of 4096, where the tables begin
 *   fences      in the order of their ids
 *               zeros up to the next multiple of 8
 *   fence table for each fence, 8 bytes: its offset in the file
 *               zeros up to the next multiple of 16
 *   index       for each entry, 16 bytes: a slot, in the order of the hashes
 *   filter      for each entry, 10 bits, up to the next multiple of 64 bytes ({@link RunFilter})
 *               here the tables end
 *   sums        for each 4096 bytes of the tables, and for the rest, 8 bytes
 *   footer      {@link RunFooter}
 *   trailer     20 bytes
 * </pre>
 *
 * <h2>Header</h2>
 *
 * <pre>
 *   0  magic    8 bytes  "STBLRUN\n"
 *   8  version  4 bytes  2
 *  12  crc32c   4 bytes  of the 12 bytes before
 * </pre>
 *
 * <h2>Entry</h2>
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *  0|                            crc32c                             |
 *   +---------------------------------------------------------------+
 *  4|                    length, these 28 included                  |
 *   +-----------------------------------------------+---------------+
 *  8|                   id length                   |     kind      |
 *   +-----------------------------------------------+---------------+
 * 12|                            type id                            |
 *   |                                                               |
 *   +---------------------------------------------------------------+
 * 20|                       last commit time                        |
 *   |                                                               |
 *   +---------------------------------------------------------------+
 * 28|                     id, then the state                      ...
 *   +---------------------------------------------------------------+
 * </pre>
 *
 * <p>{@code crc32c} covers everything after it in the entry. {@code kind} is 1 for a state, and 2
 * for a deleted object, where nothing follows the id. An entry doesn't contain its offset, so that
 * a merge copies it unchanged.
 *
 * <h2>Fence</h2>
 *
 * <pre>
 *   0  offset     8 bytes  of an entry: no entry before it has an id at or above the fence
 *   8  id length  4 bytes  at most 131072
 *  12  id                  a prefix of the entry's id, above every id before it
 * </pre>
 *
 * <p>Fences are about 8 KiB of entries apart or, after a long fence, eight times its length. So
 * they take at most about an eighth of the entries' size. A scan begins at the last fence that is
 * not above its first id.
 *
 * <h2>Slot</h2>
 *
 * <pre>
 *   0  hash       8 bytes  of the id ({@link SipHash}); in unsigned order
 *   8  location   8 bytes  offset of the entry &lt;&lt; 20 | its length, 0 for a length of 1 MiB or more
 * </pre>
 *
 * <p>Slots with the same hash are in the order of their offsets.
 *
 * <h2>Sum</h2>
 *
 * <pre>
 *   0  crc32c  4 bytes  of a block of the tables
 *   4  guide   4 bytes  the high half of the first hash in the block; 0 if no slot begins there
 * </pre>
 *
 * <p>The guides lead to the block with an object's slot: a search reads that block and a few of the
 * sums, whose size is 1/500 of the index.
 *
 * <h2>Trailer</h2>
 *
 * <pre>
 *   0  footer length  4 bytes
 *   4  version        4 bytes  2
 *   8  magic          8 bytes  "STBLRUN\n"
 *  16  crc32c         4 bytes  of the footer and the 16 bytes before; also in the manifest
 * </pre>
 *
 * <p>Header and trailer are the same in every format, so that older programs can report what they
 * found.
 *
 * <h2>What is checked, and when</h2>
 *
 * <p>At open: the header, the footer, the trailer, and that the parts fill the file. At use: an
 * entry's checksum each time, and the checksum of a block of the tables once. So no byte is used
 * before its checksum was verified, and opening a run costs the same whatever its size. {@link
 * io.github.stablecut.checkpoint.CheckpointFiles} describes what a crash can leave: a run that a
 * manifest names is complete.
 */
public final class RunFormat {
  static final int VERSION = 2;
  static final int VERSION_WITHOUT_FILTER = 1;

  /** The bytes of "STBLRUN\n" as a little-endian number. */
  static final long MAGIC = 0x0A4E55524C425453L;

  static final int HEADER_BYTES = 16;
  static final int HEADER_VERSION_AT = 8;
  static final int HEADER_CRC_AT = 12;

  /** The length of an entry without id and state. */
  public static final int ENTRY_HEAD_BYTES = 28;

  /** The longest id. */
  public static final int MAX_ID_BYTES = 1 << 20;

  /** The longest state. */
  public static final int MAX_STATE_BYTES = 1 << 28;

  private static final int MAX_ENTRY_BYTES = ENTRY_HEAD_BYTES + MAX_ID_BYTES + MAX_STATE_BYTES;

  static final int LENGTH_AT = 4;
  private static final int ID_LENGTH_AT = 8;
  private static final int ID_LENGTH_MASK = 0xffffff;
  private static final int KIND_SHIFT = 24;
  private static final int STATE = 1;
  private static final int DELETED = 2;
  private static final int TYPE_AT = 12;
  private static final int TIME_AT = 20;

  static final int FENCE_SPACING = 8 << 10;
  private static final int FENCE_SHARE = 8;
  static final int FENCE_LENGTH_AT = 8;
  static final int FENCE_HEAD_BYTES = 12;
  static final int MAX_FENCE_ID_BYTES = 128 << 10;

  static final int SLOT_BYTES = 16;
  static final int SLOT_LOCATION_AT = 8;
  private static final int LOCATION_LENGTH_BITS = 20;
  private static final int LOCATION_LENGTH_MASK = (1 << LOCATION_LENGTH_BITS) - 1;
  static final long MAX_ENTRIES_END = 1L << 44;

  static final int PAGE_BYTES = 4096;

  /** The unit in which the tables are checked; the last block may be shorter. */
  static final int BLOCK_BYTES = 4096;

  static final int SUM_BYTES = 8;
  static final int GUIDE_AT = 4;

  static final int TRAILER_BYTES = 20;
  static final int TRAILER_VERSION_AT = 4;
  static final int TRAILER_MAGIC_AT = 8;
  static final int TRAILER_CRC_AT = 16;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private RunFormat() {}

  static int getInt(byte[] source, int at) {
    return (int) INT.get(source, at);
  }

  static void putInt(byte[] target, int at, int value) {
    INT.set(target, at, value);
  }

  static long getLong(byte[] source, int at) {
    return (long) LONG.get(source, at);
  }

  static void putLong(byte[] target, int at, long value) {
    LONG.set(target, at, value);
  }

  /** The guide of a block with this first hash. */
  static int guide(long firstHash) {
    return (int) (firstHash >>> Integer.SIZE);
  }

  static int crc32c(byte[] source, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(source, from, length);
    return (int) crc.getValue();
  }

  /** The next multiple of a power of two. */
  static long align(long offset, int multiple) {
    return offset + multiple - 1 & -multiple;
  }

  static byte[] header() {
    byte[] header = new byte[HEADER_BYTES];
    putLong(header, 0, MAGIC);
    putInt(header, HEADER_VERSION_AT, VERSION);
    putInt(header, HEADER_CRC_AT, crc32c(header, 0, HEADER_CRC_AT));
    return header;
  }

  /** The bytes of an object's entry. */
  public static byte[] stateEntry(byte[] id, long typeId, long lastCommitTime, byte[] state) {
    return entry(id, STATE, typeId, lastCommitTime, state);
  }

  /** The bytes of a deleted object's entry. */
  public static byte[] deletedEntry(byte[] id, long typeId, long lastCommitTime) {
    return entry(id, DELETED, typeId, lastCommitTime, new byte[0]);
  }

  private static byte[] entry(byte[] id, int kind, long typeId, long lastCommitTime, byte[] state) {
    if (id.length > MAX_ID_BYTES || state.length > MAX_STATE_BYTES) {
      throw new IllegalArgumentException(
          "an id of %d bytes or a state of %d bytes exceeds the limit of %d or %d"
              .formatted(id.length, state.length, MAX_ID_BYTES, MAX_STATE_BYTES));
    }
    byte[] entry = new byte[ENTRY_HEAD_BYTES + id.length + state.length];
    putInt(entry, LENGTH_AT, entry.length);
    putInt(entry, ID_LENGTH_AT, id.length | kind << KIND_SHIFT);
    putLong(entry, TYPE_AT, typeId);
    putLong(entry, TIME_AT, lastCommitTime);
    System.arraycopy(id, 0, entry, ENTRY_HEAD_BYTES, id.length);
    System.arraycopy(state, 0, entry, ENTRY_HEAD_BYTES + id.length, state.length);
    putInt(entry, 0, crc32c(entry, LENGTH_AT, entry.length - LENGTH_AT));
    return entry;
  }

  /** Whether an entry could have a length. */
  static boolean isLengthPossible(int length, long room) {
    return length >= ENTRY_HEAD_BYTES && length <= MAX_ENTRY_BYTES && length <= room;
  }

  /** Whether bytes of a possible length are a valid entry: checksum, length, id length, kind. */
  static boolean isEntry(byte[] source, int at, int length) {
    if (getInt(source, at + LENGTH_AT) != length
        || getInt(source, at) != crc32c(source, at + LENGTH_AT, length - LENGTH_AT)) {
      return false;
    }
    int kind = kind(source, at);
    int room = length - ENTRY_HEAD_BYTES;
    return kind == STATE
        ? idLength(source, at) <= room
        : kind == DELETED && idLength(source, at) == room;
  }

  private static int kind(byte[] source, int at) {
    return getInt(source, at + ID_LENGTH_AT) >>> KIND_SHIFT;
  }

  static int idLength(byte[] source, int at) {
    return getInt(source, at + ID_LENGTH_AT) & ID_LENGTH_MASK;
  }

  static int idLength(ByteBuffer source, int at) {
    return source.getInt(at + ID_LENGTH_AT) & ID_LENGTH_MASK;
  }

  /** The id of an entry. */
  public static byte[] id(byte[] entry) {
    return Arrays.copyOfRange(entry, ENTRY_HEAD_BYTES, ENTRY_HEAD_BYTES + idLength(entry, 0));
  }

  /** The state of an entry. */
  public static byte[] state(byte[] entry) {
    return Arrays.copyOfRange(entry, ENTRY_HEAD_BYTES + idLength(entry, 0), entry.length);
  }

  /** The type id of an entry. */
  public static long typeId(byte[] entry) {
    return getLong(entry, TYPE_AT);
  }

  /** The last commit time of an entry. */
  public static long lastCommitTime(byte[] entry) {
    return getLong(entry, TIME_AT);
  }

  /** Whether an entry is that of a deleted object. */
  public static boolean isDeleted(byte[] entry) {
    return kind(entry, 0) == DELETED;
  }

  /** Compares the ids of two entries. */
  static int compareIds(byte[] left, int leftAt, byte[] right, int rightAt) {
    int leftId = leftAt + ENTRY_HEAD_BYTES;
    int rightId = rightAt + ENTRY_HEAD_BYTES;
    return Arrays.compareUnsigned(
        left,
        leftId,
        leftId + idLength(left, leftAt),
        right,
        rightId,
        rightId + idLength(right, rightAt));
  }

  /** Compares the id of an entry with another. */
  static int compareId(byte[] source, int at, byte[] id) {
    int start = at + ENTRY_HEAD_BYTES;
    return Arrays.compareUnsigned(source, start, start + idLength(source, at), id, 0, id.length);
  }

  static byte[] fence(long offset, byte[] id, int idLength) {
    byte[] fence = new byte[FENCE_HEAD_BYTES + idLength];
    putLong(fence, 0, offset);
    putInt(fence, FENCE_LENGTH_AT, idLength);
    System.arraycopy(id, 0, fence, FENCE_HEAD_BYTES, idLength);
    return fence;
  }

  /** The minimum distance from a fence to the next one. */
  static int spacingAfter(byte[] fence) {
    return Math.max(FENCE_SPACING, FENCE_SHARE * fence.length);
  }

  static long fenceOffset(byte[] fence) {
    return getLong(fence, 0);
  }

  /** Compares a fence with an id. */
  static int compareFence(byte[] fence, byte[] id) {
    return Arrays.compareUnsigned(fence, FENCE_HEAD_BYTES, fence.length, id, 0, id.length);
  }

  /** The number of hashes below one, out of {@code count} evenly distributed hashes. */
  static long share(long unsigned, long count) {
    long high = Math.multiplyHigh(unsigned, count);
    return unsigned < 0 ? high + count : high;
  }

  static long location(long offset, int length) {
    return offset << LOCATION_LENGTH_BITS | (length <= LOCATION_LENGTH_MASK ? length : 0);
  }

  static long locationOffset(long location) {
    return location >>> LOCATION_LENGTH_BITS;
  }

  /** The length in a location; 0 if it is only in the entry. */
  static int locationLength(long location) {
    return (int) (location & LOCATION_LENGTH_MASK);
  }
}
