package io.github.stablecut.file;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** Queries the free space of a disk. */
public final class DiskSpace {
  private DiskSpace() {}

  /**
   * The number of bytes that this process can still write to files in a directory.
   *
   * @throws FileSystemException if the directory is missing, which the operating system reports
   *     like a full disk
   */
  public static long usableBytes(Path directory) throws IOException {
    return usableBytes(directory.toFile());
  }

  /** Like {@link #usableBytes(Path)}. */
  public static long usableBytes(File directory) throws IOException {
    long usable = directory.getUsableSpace();
    if (usable == 0 && !directory.isDirectory()) {
      throw new FileSystemException(
          directory.getPath(),
          null,
          "the directory is missing: it was moved, renamed or deleted while in use");
    }
    return usable;
  }
}
