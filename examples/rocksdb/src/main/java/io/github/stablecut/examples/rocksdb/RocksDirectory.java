package io.github.stablecut.examples.rocksdb;

import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.error.StoreIoException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.rocksdb.RocksDBException;

/** Tells a directory of RocksDB from others, to which it would add a database without a word. */
final class RocksDirectory {
  /** What RocksDB itself writes, also if it was killed while it made the database. */
  private static final Pattern OWN =
      Pattern.compile(
          "CURRENT|IDENTITY|LOCK|LOG|LOG\\.old\\..*|(MANIFEST|OPTIONS)-.*|.*\\.(log|sst|blob|dbtmp)");

  private RocksDirectory() {}

  /**
   * Checks that a directory is not there, is empty, or has a database.
   *
   * @throws NotAStoreException if there is something else
   */
  static void check(Path directory) {
    if (Files.notExists(directory) || Files.exists(directory.resolve("CURRENT"))) {
      return;
    }
    if (!Files.isDirectory(directory)) {
      throw new NotAStoreException("%s is no directory: name one".formatted(directory));
    }
    try (Stream<Path> files = Files.list(directory)) {
      Optional<String> other =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> !OWN.matcher(name).matches())
              .sorted()
              .findFirst();
      if (other.isPresent()) {
        throw new NotAStoreException(
            "%s is not empty, and no database of RocksDB: it has %s; name another directory"
                .formatted(directory, other.get()));
      }
    } catch (IOException e) {
      throw new StoreIoException("%s can't be listed: %s".formatted(directory, e.getMessage()), e);
    }
  }

  /** The failure to open a database. */
  static RuntimeException failed(Path directory, RocksDBException e) {
    String message = String.valueOf(e.getMessage());
    boolean isLocked =
        message.contains("lock hold by current process") || message.contains("While lock file");
    return isLocked
        ? new StoreInUseException(
            "%s is open, here or in another process: close it there (%s)"
                .formatted(directory, message))
        : RocksLifetime.failed("opening " + directory, e);
  }
}
