package io.github.stablecut;

import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.journal.JvmFlags;
import java.nio.file.Path;
import java.util.Objects;

/** The way in: opens stores. */
public final class Stablecut {
  private Stablecut() {}

  /**
   * Opens the store in a directory with the default options; makes one if the directory is empty or
   * not there.
   *
   * @throws io.github.stablecut.journal.MissingJvmFlagsException if the JVM lacks flags; the
   *     message prints them
   * @throws StoreInUseException if it is open already, here or in another process
   * @throws NotAStoreException if the directory holds something else
   * @throws UnsupportedFormatException if a newer version wrote it
   * @throws io.github.stablecut.error.DamageException if something acknowledged is damaged or
   *     missing; the message names it
   */
  public static Store open(Path directory) {
    return open(directory, StoreOptions.defaults());
  }

  /** As {@link #open(Path)}, with other options. */
  public static Store open(Path directory, StoreOptions options) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(options, "options");
    JvmFlags.check();
    return EmbeddedStore.open(directory, options);
  }
}
