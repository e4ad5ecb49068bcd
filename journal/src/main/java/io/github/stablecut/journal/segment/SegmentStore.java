package io.github.stablecut.journal.segment;

import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalVersionException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/**
 * The storage beneath a {@link Journal}: numbered, append-only segments of bytes. It knows neither
 * records nor recovery.
 *
 * <p>One thread at a time calls {@link #create}, {@link #append} and {@link #force}; the other
 * methods are thread-safe. An implementation guarantees that everything appended survives a crash
 * of the process, and everything forced survives a crash of the machine. Of the rest, any 4 KiB
 * page may be present or zero after a machine crash.
 */
public interface SegmentStore extends AutoCloseable {
  /** The maximum length of a chunk. A chunk may end in zeros, which belong to it. */
  int MAX_CHUNK_BYTES = (1 << 20) + (64 << 10);

  /** The numbers of the existing segments, ascending. */
  List<Integer> segments();

  /**
   * The extent of the log, recorded next to the segments: without it, the loss of the last segment
   * or of its end would go unnoticed. Immutable.
   *
   * @param newest the greatest segment that {@link #create} has returned for and that was not
   *     deleted; 0 if there is none, or if it is unknown
   * @param synced the last sequence passed to {@link #markSynced} since the newest segment was
   *     created; 0 if there was none
   */
  record Extent(int newest, long synced) {
    /** The extent is unknown. */
    public static final Extent UNKNOWN = new Extent(0, 0);
  }

  /** The minimum extent of the log. */
  Extent extent() throws IOException;

  /**
   * Records durably that all frames up to a sequence are synced and belong to complete records. A
   * thread other than the appending one may call it.
   */
  void markSynced(long sequence) throws IOException;

  /** The segment's name on its medium, such as a file name. */
  String nameOf(int segment);

  /**
   * Starts a new segment with its first chunk. When this returns, both are durable, the directory
   * entry included.
   *
   * @param segment a number greater than that of any segment that exists or existed
   * @return the offset at which the chunk starts
   */
  long create(int segment, byte[] chunk, int length) throws IOException;

  /**
   * Appends a chunk to the newest segment. The chunk is contiguous and starts at a multiple of
   * four; the implementation may put bytes of its own between chunks.
   *
   * @return the offset at which the chunk starts
   */
  long append(byte[] chunk, int length) throws IOException;

  /**
   * The longest chunk that {@link #append} can write without extending the segment. For such a
   * chunk, {@link #append} and {@link #force} are system calls that an interrupt of the thread
   * doesn't end.
   */
  long room();

  /**
   * Makes everything appended to a segment durable. After an exception it is unknown what is
   * durable: the caller stops and does not retry.
   */
  void force(int segment) throws IOException;

  /**
   * Rewrites the bytes between two offsets of a segment with the same contents, so that the next
   * {@link #force} brings them to the medium. After a failed sync, an operating system may keep
   * showing data that it could not write, and never try to write it again: Linux marks such pages
   * as clean. Called before the first {@link #create}.
   */
  void rewrite(int segment, int from, int to) throws IOException;

  /**
   * Checks what the store itself has written into a segment, such as the header of a file. A
   * segment that was being created may lack it.
   *
   * @throws CorruptJournalException if it was changed
   * @throws JournalVersionException if a newer version of this program wrote it
   */
  void check(int segment) throws IOException;

  /**
   * Opens a view of a segment.
   *
   * @throws NoSuchFileException if there is no such segment
   */
  SegmentView view(int segment) throws IOException;

  /**
   * Opens a view of a segment for one thread that reads it once. Each part is read with a system
   * call: where the medium can't read it, its methods throw an {@link UncheckedIOException}, and
   * the process never faults.
   *
   * @throws NoSuchFileException if there is no such segment
   */
  SegmentView sequentialView(int segment) throws IOException;

  /** The bytes that a segment occupies on its medium. */
  long allocatedBytes(int segment);

  /** Deletes a segment, durably. */
  void delete(int segment) throws IOException;

  /**
   * The bytes that can be written before the medium is full.
   *
   * @throws IOException if the free space can't be read, for example because the directory was
   *     deleted
   */
  long usableBytes() throws IOException;

  @Override
  void close() throws IOException;
}
