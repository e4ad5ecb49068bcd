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
 * Files that are not part of the store any more and have still to be deleted: those that readers
 * are in, and those that could not be deleted when they were to be. What is left when the store is
 * closed is deleted when it is opened. Thread-safe.
 */
public final class ObsoleteFiles {
  private final Directory directory;

  @GuardedBy("this")
  private final List<RunFile> read = new ArrayList<>();

  @GuardedBy("this")
  private final Set<String> unread = new LinkedHashSet<>();

  /** Leftovers in a directory. */
  public ObsoleteFiles(Directory directory) {
    this.directory = directory;
  }

  /** Adds a file that readers may be in. */
  public synchronized void add(RunFile file) {
    read.add(file);
  }

  /** Adds a file that nobody reads, if it is there at all. */
  public synchronized void add(String name) {
    unread.add(name);
  }

  /**
   * Deletes what can be deleted.
   *
   * @return how many files can't be
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
      unread.removeIf(this::isDeleted);
    } catch (IOException e) {
      // The next call tries again.
    }
    return size();
  }

  private boolean isDeleted(String name) {
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
