package io.github.stablecut.journal;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/**
 * The storage beneath a {@link Journal}: numbered segments of bytes that only grow. It knows
 * neither records nor recovery.
 *
 * <p>{@link #create}, {@link #append} and {@link #force} are called by one thread at a time; the
 * other methods are thread-safe. What an implementation promises on a crash of the process: all
 * that was appended is still there. On a crash of the machine: all that was forced is; of the rest,
 * any 4 KiB page may be there or be zero.
 */
public interface SegmentStore extends AutoCloseable {
  /** The most bytes in one chunk. A chunk may end in zeros, and all of them belong to it. */
  int MAX_CHUNK_BYTES = (1 << 20) + (64 << 10);

  /** The numbers of the segments that exist, ascending. */
  List<Integer> segments();

  /**
   * How far the log goes, as far as the medium remembers beside the segments: without it nobody
   * would miss the last segment, or the end of it. Immutable.
   *
   * @param newest the greatest segment of those that {@link #create} has returned for and that were
   *     not deleted; 0 if there is none, or it is not known
   * @param synced the last sequence told to {@link #markSynced} since the newest one was created; 0
   *     if there was none
   */
  record Extent(int newest, long synced) {
    /** Nothing is known. */
    public static final Extent UNKNOWN = new Extent(0, 0);
  }

  /** How far the log goes at least. */
  Extent extent() throws IOException;

  /**
   * Takes note, durably, that all frames up to a sequence are synced and belong to whole records.
   * May be called by another thread than the one that appends.
   */
  void markSynced(long sequence) throws IOException;

  /** What a segment is called on its medium: a file name where there are files. */
  String nameOf(int segment);

  /**
   * Starts a new segment with its first chunk. When this returns, both are durable, the directory
   * entry included.
   *
   * @param segment a number above all that exist or existed
   * @return the offset at which the chunk starts
   */
  long create(int segment, byte[] chunk, int length) throws IOException;

  /**
   * Appends a chunk to the segment that was created last. The chunk is contiguous and starts at a
   * multiple of four; between two chunks an implementation may have bytes of its own.
   *
   * @return the offset at which the chunk starts
   */
  long append(byte[] chunk, int length) throws IOException;

  /**
   * How long a chunk may be that {@link #append} would only have to write, and not to make room for
   * in the segment. Then both it and {@link #force} are system calls that no interrupt of the
   * thread ends.
   */
  long room();

  /**
   * Makes all that was appended to a segment durable. After an exception nobody knows what is: the
   * caller stops and doesn't try again.
   */
  void force(int segment) throws IOException;

  /**
   * Writes the bytes between two offsets of a segment anew, with the same contents, so that the
   * next {@link #force} brings them to the medium. After a sync that has failed, an operating
   * system may go on showing what it could not write, and never try to write it again: Linux marks
   * such pages as clean. Called before the first {@link #create}.
   */
  void rewrite(int segment, int from, int to) throws IOException;

  /**
   * Opens a view of a segment.
   *
   * @throws NoSuchFileException if there is no such segment
   */
  SegmentView view(int segment) throws IOException;

  /** The bytes that a segment occupies on its medium. */
  long allocatedBytes(int segment);

  /** Deletes a segment, durably. */
  void delete(int segment) throws IOException;

  /**
   * The bytes that can still be written before the medium is full.
   *
   * @throws IOException if that is not known, as the directory is gone
   */
  long usableBytes() throws IOException;

  @Override
  void close() throws IOException;
}
