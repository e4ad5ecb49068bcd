package io.github.stablecut.checkpoint.internal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.checkpoint.Directory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Obsolete files still to be deleted: those in use by readers, and those whose deletion failed.
 * What remains when the store closes is deleted at the next open. Thread-safe.
 */
public final class ObsoleteFiles {
  private final Directory directory;

  @GuardedBy("this")
  private final List<RunFile> read = new ArrayList<>();

  @GuardedBy("this")
  private final Set<String> unread = new LinkedHashSet<>();

  /** The obsolete files of a directory. */
  public ObsoleteFiles(Directory directory) {
    this.directory = directory;
  }

  /** Adds a file that readers may use. */
  public synchronized void add(RunFile file) {
    read.add(file);
  }

  /** Adds a file without readers, if it exists. */
  public synchronized void add(String name) {
    unread.add(name);
  }

  /**
   * Deletes the files that can be deleted.
   *
   * @return the number of files left
   */
  @CanIgnoreReturnValue
  public synchronized int delete() {
    for (RunFile file : List.copyOf(read)) {
      if (!file.isUsed()) {
        read.remove(file);
        unread.add(file.name().name());
      }
    }
    if (unread.isEmpty()) {
      return size();
    }
    try {
      unread.retainAll(directory.list());
      unread.removeIf(this::tryDelete);
    } catch (IOException e) {
      // The next call retries.
    }
    return size();
  }

  private boolean tryDelete(String name) {
    try {
      directory.delete(name);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** The number of files. */
  public synchronized int size() {
    return read.size() + unread.size();
  }
}
