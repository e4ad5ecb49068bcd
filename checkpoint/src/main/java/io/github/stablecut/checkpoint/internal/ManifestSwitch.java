package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.CheckpointFiles;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileAppender;
import java.io.IOException;

/** Switches from one manifest to the next: steps 3 to 7 of a change in {@link CheckpointFiles}. */
public final class ManifestSwitch {
  private ManifestSwitch() {}

  /**
   * Performs steps 3 to 5: afterwards, and after a failure, the old manifest is still current.
   *
   * @param manifest the bytes of the next manifest
   */
  public static void prepare(Directory directory, long number, byte[] manifest) throws IOException {
    write(directory, CheckpointFiles.manifest(number), manifest);
    deleteNextCurrent(directory);
    write(directory, CheckpointFiles.NEXT_CURRENT, CheckpointFiles.current(number));
    directory.force();
  }

  /** Deletes the CURRENT.new of {@link #prepare}; if that fails, the next switch deletes it. */
  public static void abandon(Directory directory) {
    try {
      deleteNextCurrent(directory);
    } catch (IOException e) {
      // It has no effect under this name.
    }
  }

  private static void deleteNextCurrent(Directory directory) throws IOException {
    if (directory.list().contains(CheckpointFiles.NEXT_CURRENT)) {
      directory.delete(CheckpointFiles.NEXT_CURRENT);
    }
  }

  /** Performs steps 6 and 7: after a failure it is unknown which manifest is current. */
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
