package io.github.stablecut.cluster.command;

import io.github.stablecut.NotAStoreException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What commands ask of a directory before they open the store in it. */
final class Directories {
  private Directories() {}

  /** Refuses a directory that opening would make a new store in. */
  static void requireStore(Path directory) {
    if (!Files.isRegularFile(directory.resolve("STABLECUT"))) {
      throw new NotAStoreException(
          directory
              + " holds no store, there is no file STABLECUT in it: name a store's directory");
    }
  }
}
