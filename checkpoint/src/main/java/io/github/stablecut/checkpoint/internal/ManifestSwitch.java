package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.CheckpointFiles;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileAppender;
import java.io.IOException;

/**
 * The switch from one manifest to the next: steps 3 to 7 of a change, as {@link CheckpointFiles}
 * has them.
 */
public final class ManifestSwitch {
  private ManifestSwitch() {}

  /**
   * Steps 3 to 5: until the end of this, and after a failure, the old manifest counts.
   *
   * @param manifest the bytes of the next one
   */
  public static void prepare(Directory directory, long number, byte[] manifest) throws IOException {
    write(directory, CheckpointFiles.manifest(number), manifest);
    deleteNextCurrent(directory);
    write(directory, CheckpointFiles.NEXT_CURRENT, CheckpointFiles.current(number));
    directory.force();
  }

  /** Takes back what {@link #prepare} did to CURRENT.new; if that fails too, the next one does. */
  public static void abandon(Directory directory) {
    try {
      deleteNextCurrent(directory);
    } catch (IOException e) {
      // It leads nowhere as long as it has this name.
    }
  }

  private static void deleteNextCurrent(Directory directory) throws IOException {
    if (directory.list().contains(CheckpointFiles.NEXT_CURRENT)) {
      directory.delete(CheckpointFiles.NEXT_CURRENT);
    }
  }

  /** Steps 6 and 7: after a failure nobody knows which manifest counts. */
  public static void complete(Directory directory) throws IOException {
    directory.rename(CheckpointFiles.NEXT_CURRENT, CheckpointFiles.CURRENT);
    directory.force();
  }

  private static void write(Directory directory, String name, byte[] content) throws IOException {
    try (FileAppender file = directory.create(name)) {
      file.append(content, 0, content.length);
      file.force();
    }
  }
}
