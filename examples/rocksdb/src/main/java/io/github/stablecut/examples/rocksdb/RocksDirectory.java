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

/** Recognizes RocksDB directories; RocksDB would silently add a database to any other directory. */
final class RocksDirectory {
  /** The files that RocksDB writes, even if it was killed while it created the database. */
  private static final Pattern OWN =
      Pattern.compile(
          "CURRENT|IDENTITY|LOCK|LOG|LOG\\.old\\..*|(MANIFEST|OPTIONS)-.*|.*\\.(log|sst|blob|dbtmp)");

  private RocksDirectory() {}

  /**
   * Checks that a directory is missing, empty, or contains a database.
   *
   * @throws NotAStoreException if it contains something else
   */
  static void check(Path directory) {
    if (Files.notExists(directory) || Files.exists(directory.resolve("CURRENT"))) {
      return;
    }
    if (!Files.isDirectory(directory)) {
      throw new NotAStoreException("%s is not a directory: name a directory".formatted(directory));
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
            "%s contains no RocksDB database, but %s: name another directory"
                .formatted(directory, other.get()));
      }
    } catch (IOException e) {
      throw new StoreIoException("can't list %s: %s".formatted(directory, e.getMessage()), e);
    }
  }

  /** The exception for a failed opening. */
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
