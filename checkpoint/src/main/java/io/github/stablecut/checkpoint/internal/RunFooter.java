package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The footer of a run: where its parts are, and what its checkpoint is. Immutable.
 *
 * <pre>
 *   entries           8 bytes  their number
 *   entries end       8 bytes  offset behind the last
 *   fences            8 bytes  their number
 *   fence table       8 bytes  its offset
 *   replay from       8 bytes  position in the journal
 *   at                vector   K
 *   prune frontier    vector   F
 *   last              vector
 *   notes             4 bytes, then as many: opaque
 *
 *   vector            4 bytes, then as many times 8
 * </pre>
 *
 * @param version of the format, which the trailer has
 * @param notesLength how many bytes of notes end the footer
 */
record RunFooter(
    int version,
    long entries,
    long entriesEnd,
    long fences,
    long fenceTableAt,
    Checkpoint checkpoint,
    int notesLength) {
  /** The most bytes of notes. */
  static final int MAX_NOTES_BYTES = 1 << 28;

  static final int MAX_BYTES = MAX_NOTES_BYTES + (1 << 20);

  private static final int NUMBERS = 5;

  /** Where the tables begin. */
  long tablesAt() {
    return RunFormat.align(entriesEnd, RunFormat.PAGE_BYTES);
  }

  long indexAt() {
    return RunFormat.align(fenceTableAt + fences * Long.BYTES, RunFormat.SLOT_BYTES);
  }

  /** Where the index ends and the filter begins, if there is one. */
  long filterAt() {
    return indexAt() + entries * RunFormat.SLOT_BYTES;
  }

  /** The length of the filter; 0 in files of a version that has none. */
  long filterBytes() {
    return version == RunFormat.VERSION_WITHOUT_FILTER ? 0 : RunFilter.bytes(entries);
  }

  /** Where the tables end and their sums begin. */
  long sumsAt() {
    return filterAt() + filterBytes();
  }

  long blocks() {
    return blocksBefore(sumsAt());
  }

  /** The number of blocks up to the last one in which the index has something. */
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

  /** The footer and the trailer behind it. */
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
   * @param version in the trailer
   * @throws IllegalArgumentException if it is malformed all the same
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
            "%d bytes of notes where %d are left".formatted(notes, in.remaining()));
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
