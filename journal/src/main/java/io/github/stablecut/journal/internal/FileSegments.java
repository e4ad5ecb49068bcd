package io.github.stablecut.journal.internal;

import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Segments that are plain files: a {@link FileHeader}, and then extents without anything between
 * them. Uses the JDK only, and none of its internals.
 *
 * <p>Thread-safe as the interface says.
 */
public final class FileSegments extends ExtentSegments {
  private FileSegments(Path directory, int segmentBytes) throws IOException {
    super(directory, segmentBytes);
  }

  /** Opens a directory, which is created if it doesn't exist. */
  public static FileSegments open(Path directory, int segmentBytes) throws IOException {
    return new FileSegments(directory, segmentBytes);
  }

  @Override
  String fileNameOf(int segment) {
    return SegmentFiles.plainNameOf(segment);
  }

  /**
   * Chunks continue in the new extent where they ended in the one before it. The header and the
   * first chunk are in one page of the disk, so that a power failure leaves both or none.
   */
  @Override
  Space extend(int bytes) throws IOException {
    Space used = used();
    if (used.end() > 0) {
      fill(used.end(), used.end() + bytes);
      return new Space(used.start(), used.end() + bytes);
    }
    Path file = directory().resolve(fileNameOf(current()));
    PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE).close();
    long end = (long) FileHeader.BYTES + bytes;
    fill(0, end);
    write(FileHeader.of(current()), 0);
    return new Space(FileHeader.BYTES, end);
  }

  @Override
  void closeLayout() {
    // The file is all there is.
  }
}
