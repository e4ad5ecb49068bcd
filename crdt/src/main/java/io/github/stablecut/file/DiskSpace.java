package io.github.stablecut.file;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** How much room there is on a disk. */
public final class DiskSpace {
  private DiskSpace() {}

  /**
   * The bytes that this process can still write to files in a directory.
   *
   * @throws FileSystemException if the directory is gone, which the system's answer does not tell
   *     from a full disk
   */
  public static long usableBytes(Path directory) throws IOException {
    return usableBytes(directory.toFile());
  }

  /** As {@link #usableBytes(Path)}. */
  public static long usableBytes(File directory) throws IOException {
    long usable = directory.getUsableSpace();
    if (usable == 0 && !directory.isDirectory()) {
      throw new FileSystemException(
          directory.getPath(),
          null,
          "the directory is missing: it was moved, renamed or deleted while it was in use");
    }
    return usable;
  }
}
