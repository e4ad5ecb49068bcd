package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The footer of a run: the offsets of its parts, and its checkpoint. Immutable.
 *
 * <pre>
 *   entries           8 bytes  their number
 *   entries end       8 bytes  offset after the last
 *   fences            8 bytes  their number
 *   fence table       8 bytes  its offset
 *   replay from       8 bytes  position in the journal
 *   at                vector   K
 *   prune frontier    vector   F
 *   last              vector
 *   notes             4 bytes, then that many: opaque
 *
 *   vector            4 bytes, then that many times 8
 * </pre>
 *
 * @param version the version of the format, from the trailer
 * @param notesLength the number of bytes of notes at the end of the footer
 */
record RunFooter(
    int version,
    long entries,
    long entriesEnd,
    long fences,
    long fenceTableAt,
    Checkpoint checkpoint,
    int notesLength) {
  /** The maximum number of bytes of notes. */
  static final int MAX_NOTES_BYTES = 1 << 28;

  static final int MAX_BYTES = MAX_NOTES_BYTES + (1 << 20);

  private static final int NUMBERS = 5;

  /** The start of the tables. */
  long tablesAt() {
    return RunFormat.align(entriesEnd, RunFormat.PAGE_BYTES);
  }

  long indexAt() {
    return RunFormat.align(fenceTableAt + fences * Long.BYTES, RunFormat.SLOT_BYTES);
  }

  /** The end of the index and the start of the filter, if there is one. */
  long filterAt() {
    return indexAt() + entries * RunFormat.SLOT_BYTES;
  }

  /** The length of the filter; 0 in a version without one. */
  long filterBytes() {
    return version == RunFormat.VERSION_WITHOUT_FILTER ? 0 : RunFilter.bytes(entries);
  }

  /** The end of the tables and the start of their sums. */
  long sumsAt() {
    return filterAt() + filterBytes();
  }

  long blocks() {
    return blocksBefore(sumsAt());
  }

  /** The number of blocks up to the last one that contains part of the index. */
  long indexBlocks() {
    return blocksBefore(filterAt());
  }

  private long blocksBefore(long end) {
    return RunFormat.align(end - tablesAt(), RunFormat.BLOCK_BYTES) / RunFormat.BLOCK_BYTES;
  }

  private long footerAt() {
    return sumsAt() + blocks() * RunFormat.SUM_BYTES;
  }

  /** Whether the parts follow each other and fill a file of this length. */
  boolean fills(long fileLength, int footerLength) {
    return entries >= 0
        && entries <= RunFormat.MAX_ENTRIES_END
        && entriesEnd >= RunFormat.HEADER_BYTES
        && entriesEnd <= RunFormat.MAX_ENTRIES_END
        && fences >= 0
        && fences <= entries
        && fenceTableAt >= tablesAt()
        && fenceTableAt <= fileLength
        && fenceTableAt % Long.BYTES == 0
        && footerAt() + footerLength + RunFormat.TRAILER_BYTES == fileLength;
  }

  /** The footer, followed by the trailer. */
  byte[] encode(byte[] notes) {
    Checkpoint c = checkpoint;
    int vectors = c.at().size() + c.pruneFrontier().size() + c.last().size();
    int length = (NUMBERS + vectors) * Long.BYTES + 4 * Integer.BYTES + notes.length;
    ByteBuffer out =
        ByteBuffer.allocate(length + RunFormat.TRAILER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(entries).putLong(entriesEnd).putLong(fences).putLong(fenceTableAt);
    out.putLong(c.replayFrom());
    putVector(out, c.at());
    putVector(out, c.pruneFrontier());
    putVector(out, c.last());
    out.putInt(notes.length).put(notes);
    out.putInt(length).putInt(version).putLong(RunFormat.MAGIC);
    out.putInt(RunFormat.crc32c(out.array(), 0, out.position()));
    return out.array();
  }

  /**
   * Reads a footer whose checksum is right.
   *
   * @param version the version in the trailer
   * @throws IllegalArgumentException if it is malformed nevertheless
   */
  static RunFooter decode(byte[] footer, int length, int version) {
    ByteBuffer in = ByteBuffer.wrap(footer, 0, length).order(ByteOrder.LITTLE_ENDIAN);
    try {
      long entries = in.getLong();
      long entriesEnd = in.getLong();
      long fences = in.getLong();
      long fenceTableAt = in.getLong();
      long replayFrom = in.getLong();
      VectorClock at = getVector(in);
      VectorClock pruneFrontier = getVector(in);
      VectorClock last = getVector(in);
      int notes = in.getInt();
      if (notes != in.remaining()) {
        throw new IllegalArgumentException(
            "%d bytes of notes, but %d bytes are left".formatted(notes, in.remaining()));
      }
      Checkpoint checkpoint = new Checkpoint(at, pruneFrontier, replayFrom, last);
      return new RunFooter(version, entries, entriesEnd, fences, fenceTableAt, checkpoint, notes);
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("it ends too early", e);
    }
  }

  private static void putVector(ByteBuffer out, VectorClock vector) {
    out.putInt(vector.size());
    for (int i = 0; i < vector.size(); i++) {
      out.putLong(vector.get(i));
    }
  }

  private static VectorClock getVector(ByteBuffer in) {
    return VectorClock.ofEntries(getLongs(in));
  }

  private static long[] getLongs(ByteBuffer in) {
    int size = in.getInt();
    if (size < 0 || size > VectorClock.MAX_DATA_CENTRES) {
      throw new IllegalArgumentException("a vector of " + size + " entries");
    }
    long[] longs = new long[size];
    for (int i = 0; i < size; i++) {
      longs[i] = in.getLong();
    }
    return longs;
  }
}
