package io.github.stablecut.tools;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.internal.recovery.OpenStoreImage;
import io.github.stablecut.internal.recovery.StoreDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * Reads the files of a store that this process has open, through a temporary image of hard links.
 */
final class OpenImage {
  private OpenImage() {}

  /**
   * Creates an image in the store's directory, reads it, and deletes it.
   *
   * @param reader receives the image's directory
   */
  static <T> T read(Path directory, Function<Path, T> reader) {
    Path image = directory.resolve(StoreDirectory.IMAGE);
    try {
      FileTrees.delete(image);
      OpenStoreImage.make(directory, image);
      try {
        return reader.apply(image);
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
