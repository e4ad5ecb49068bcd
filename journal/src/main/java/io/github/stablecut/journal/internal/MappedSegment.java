package io.github.stablecut.journal.internal;

import io.github.stablecut.journal.SegmentView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The map of a segment file, shared by all views of it. The file grows in steps, and {@link #remap}
 * follows it; a buffer that a view has returned stays readable. Thread-safe.
 *
 * <p>A map pins the blocks of a deleted file until the garbage collector finds it, which may take
 * days. So the file is cut to nothing when it is deleted, but not while a view is open, and not if
 * it has a second name: touching a page that is gone would be a fault. {@code views} counts the
 * open ones, and is below 0 when no more may be opened.
 */
final class MappedSegment implements SegmentView {
  private static final int DELETED = Integer.MIN_VALUE;

  private final Path file;
  private volatile ByteBuffer bytes;
  private final AtomicInteger views = new AtomicInteger();
  private volatile @Nullable FileChannel deleted;

  /** Maps a file as long as it is now. */
  MappedSegment(Path file) throws IOException {
    this.file = file;
    this.bytes = map(file);
  }

  private static ByteBuffer map(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return channel.map(MapMode.READ_ONLY, 0, channel.size());
    }
  }

  /** Maps the file again, as long as it is now. Called by the thread that appends. */
  void remap() throws IOException {
    bytes = map(file);
  }

  /** This, to be closed once more. */
  MappedSegment open() throws NoSuchFileException {
    if (views.incrementAndGet() < 0) {
      close();
      throw new NoSuchFileException(file + " was deleted");
    }
    return this;
  }

  @Override
  public ByteBuffer bytes() {
    return bytes;
  }

  @Override
  public void close() {
    if (views.decrementAndGet() == DELETED) {
      free();
    }
  }

  /**
   * Deletes the file, durably, and frees its space as soon as no view is open. Goes on where an
   * earlier attempt has failed.
   */
  void delete() throws IOException {
    if (deleted == null) {
      deleted = opened();
    }
    boolean unused = Files.deleteIfExists(file);
    SegmentFiles.forceDirectoryOf(file);
    if (views.addAndGet(DELETED) == DELETED) {
      free();
    }
  }

  /** Null if there is no space to be freed: the file is gone, or is still needed elsewhere. */
  private @Nullable FileChannel opened() throws IOException {
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
