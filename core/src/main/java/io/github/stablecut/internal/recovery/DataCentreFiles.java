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

/** The files about the group of data centres in the directory of a store or node. Thread-safe. */
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
   * @param lock the lock on the directory, checked before each change
   */
  DataCentreFiles(Path directory, DirectoryLock lock, Failure failure) {
    this.directory = directory;
    this.lock = lock;
    this.failure = failure;
  }

  /**
   * The group of data centres to which the store belongs; empty if there is none.
   *
   * @throws CorruptStoreException if its file is damaged
   */
  public Optional<Membership> group() {
    try {
      return Membership.in(directory);
    } catch (IOException e) {
      throw failure.of("opened", e);
    }
  }

  /** Durably replaces the recorded group. */
  public void save(Membership group) {
    replace(StoreDirectory.DATA_CENTRES, group.toText());
  }

  /**
   * Returns the reason why the store can no longer be a data centre, because its directory was
   * restored to an older state; empty if it can.
   */
  public Optional<String> setBack() {
    Path file = directory.resolve(StoreDirectory.SET_BACK);
    try {
      // Its existence is what matters; the text is for people.
      return Files.exists(file) ? Optional.of(CheckedText.read(file).strip()) : Optional.empty();
    } catch (IOException e) {
      throw failure.of("opened", e);
    }
  }

  /** Durably records that the directory was restored to an older state. */
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
   * Creates an empty temporary directory in this one; the next open deletes it after a crash.
   *
   * @param use its purpose, such as "joining-1" or "cut-0"; several may exist for one
   */
  public Path temporary(String use) {
    try {
      for (int i = 0; ; i++) {
        Path temporary = directory.resolve(use + "-" + i + TEMPORARY);
        if (tryCreate(temporary)) {
          return temporary;
        }
      }
    } catch (IOException e) {
      throw failure.of("written", e);
    }
  }

  private static boolean tryCreate(Path temporary) throws IOException {
    try {
      PrivateFiles.createDirectory(temporary);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  /** Deletes a temporary directory. */
  public void deleteTemporary(Path temporary) {
    try {
      FileTrees.delete(temporary);
    } catch (IOException e) {
      throw failure.of("written", e);
    }
  }
}
