package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the directory of a store, or of a node, says of the data centres that the store is one of.
 * Thread-safe.
 */
public final class DataCentreFiles {
  /** The suffix of temporary directories. */
  static final String TEMPORARY = ".tmp";

  private final Path directory;
  private final DirectoryLock lock;
  private final Failure failure;

  /** The exception for a failure on the files. */
  @FunctionalInterface
  interface Failure {
    /**
     * Names what failed.
     *
     * @param done the failed action: "opened", "changed"
     */
    StoreIoException of(String done, IOException cause);
  }

  /**
   * @param lock on the directory, checked before each change
   */
  DataCentreFiles(Path directory, DirectoryLock lock, Failure failure) {
    this.directory = directory;
    this.lock = lock;
    this.failure = failure;
  }

  /**
   * The group that the store is a data centre of; empty if there is none.
   *
   * @throws CorruptStoreException if the file that says so is damaged
   */
  public Optional<Membership> group() {
    try {
      return Membership.in(directory);
    } catch (IOException e) {
      throw failure.of("opened", e);
    }
  }

  /** Durably replaces what is known of the group. */
  public void save(Membership group) {
    replace(StoreDirectory.DATA_CENTRES, group.toText());
  }

  /**
   * Why the store can't be a data centre any more, because the directory was put back to an older
   * state; empty if it can.
   */
  public Optional<String> setBack() {
    Path file = directory.resolve(StoreDirectory.SET_BACK);
    try {
      // That it is there counts; the text is for people.
      return Files.exists(file) ? Optional.of(CheckedText.read(file).strip()) : Optional.empty();
    } catch (IOException e) {
      throw failure.of("opened", e);
    }
  }

  /** Durably takes note that the directory was put back to an older state. */
  public void setBack(String why) {
    replace(StoreDirectory.SET_BACK, why + "\n");
  }

  private void replace(String name, String text) {
    try {
      lock.check();
      PrivateFiles.replace(directory, name, text);
    } catch (IOException e) {
      throw failure.of("changed", e);
    }
  }

  /**
   * Makes an empty directory in this one, for a while; what a crash leaves of it goes at the next
   * opening.
   *
   * @param use what it is for: "joining-1", "cut-0"; there may be several for one
   */
  public Path temporary(String use) {
    try {
      for (int i = 0; ; i++) {
        Path temporary = directory.resolve(use + "-" + i + TEMPORARY);
        if (isCreated(temporary)) {
          return temporary;
        }
      }
    } catch (IOException e) {
      throw failure.of("written", e);
    }
  }

  private static boolean isCreated(Path temporary) throws IOException {
    try {
      PrivateFiles.createDirectory(temporary);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  /** Deletes such a directory. */
  public void deleteTemporary(Path temporary) {
    try {
      FileTrees.delete(temporary);
    } catch (IOException e) {
      throw failure.of("written", e);
    }
  }
}
