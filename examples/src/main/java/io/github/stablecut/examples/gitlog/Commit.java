package io.github.stablecut.examples.gitlog;

import java.util.List;

/**
 * A commit in the log. Immutable.
 *
 * @param hash in hexadecimal digits
 * @param author a name, which may be empty
 * @param date as git writes it; empty if the commit has none
 * @param changes the changed files; none for merges
 */
record Commit(String hash, String author, String date, List<FileChange> changes) {
  /** Copies the list. */
  Commit {
    changes = List.copyOf(changes);
  }

  /**
   * The change of one file.
   *
   * @param added lines; 0 for a binary file
   * @param deleted lines; 0 for a binary file
   * @param file its path from the top of the repository
   */
  record FileChange(long added, long deleted, String file) {}

  /** The added lines of all files. */
  long added() {
    return changes.stream().mapToLong(FileChange::added).sum();
  }

  /** The deleted lines of all files. */
  long deleted() {
    return changes.stream().mapToLong(FileChange::deleted).sum();
  }
}
