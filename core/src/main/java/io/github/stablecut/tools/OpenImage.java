package io.github.stablecut.tools;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.internal.recovery.OpenStoreImage;
import io.github.stablecut.internal.recovery.StoreDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;

/** Reads the files of a store that this process has open by an image of them, for a while. */
final class OpenImage {
  private OpenImage() {}

  /**
   * Makes an image in the store's directory, reads it, and takes it away.
   *
   * @param read is given its directory
   */
  static <T> T read(Path directory, Function<Path, T> read) {
    Path image = directory.resolve(StoreDirectory.IMAGE);
    try {
      FileTrees.delete(image);
      OpenStoreImage.make(directory, image);
      try {
        return read.apply(image);
      } finally {
        FileTrees.delete(image);
      }
    } catch (IOException e) {
      throw new StoreIoException(
          "the files of %s can't be read while it is open: %s; try again"
              .formatted(directory, IoReason.of(e)),
          e);
    }
  }
}
