package io.github.stablecut.journal.internal;

import io.github.stablecut.journal.segment.SegmentBytes;
import io.github.stablecut.journal.segment.SegmentView;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The memory map of a segment file, shared by all its views. The file grows in extents, and {@link
 * #cover} follows it; bytes that a view has returned stay readable. Thread-safe.
 *
 * <p>A map pins the blocks of a deleted file until the garbage collector finds it, which may take
 * days. The file is therefore truncated to zero when it is deleted, but not while a view is open,
 * nor if it has a second name. Access to a truncated page would be a fault. {@code views} counts
 * the open views, and is negative once no more may be openToFree.
 */
final class MappedSegment implements SegmentView {
  private static final int DELETED = Integer.MIN_VALUE;

  private final Path file;
  private volatile SegmentBytes bytes;
  private final AtomicInteger views = new AtomicInteger();
  private volatile @Nullable FileChannel deleted;

  /** Maps a file with its current length. */
  MappedSegment(Path file) throws IOException {
    this.file = file;
    this.bytes = map(file);
  }

  private static SegmentBytes map(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return SegmentBytes.of(channel.map(MapMode.READ_ONLY, 0, channel.size()));
    }
  }

  /** Maps the file again with its current length. */
  synchronized void remap() throws IOException {
    bytes = map(file);
  }

  /** Maps the file again if it has more bytes than the map, and they are needed up to an end. */
  void cover(long end) throws IOException {
    if (end > bytes.length()) {
      remap();
    }
  }

  /** Opens a view, which the caller closes. */
  MappedSegment open() throws NoSuchFileException {
    if (views.incrementAndGet() < 0) {
      close();
      throw new NoSuchFileException(file + " was deleted");
    }
    return this;
  }

  @Override
  public SegmentBytes bytes() {
    return bytes;
  }

  @Override
  public void close() {
    if (views.decrementAndGet() == DELETED) {
      free();
    }
  }

  /**
   * Deletes the file durably, and frees its space once no view is open. Resumes an earlier attempt
   * that failed.
   */
  void delete() throws IOException {
    if (deleted == null) {
      deleted = openToFree();
    }
    Files.deleteIfExists(file);
    SegmentFiles.forceDirectoryOf(file);
    if (views.addAndGet(DELETED) == DELETED) {
      free();
    }
  }

  /**
   * A channel to the file; null if no space is to be freed, because the file was deleted or has
   * another name.
   */
  private @Nullable FileChannel openToFree() throws IOException {
    try {
      return SegmentFiles.isOnlyName(file)
          ? FileChannel.open(file, StandardOpenOption.WRITE)
          : null;
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private void free() {
    FileChannel channel = deleted;
    if (channel != null) {
      try (channel) {
        channel.truncate(0);
      } catch (IOException e) {
        // The garbage collector frees it later.
      }
    }
  }
}
