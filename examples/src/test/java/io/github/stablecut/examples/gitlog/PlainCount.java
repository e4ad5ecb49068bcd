package io.github.stablecut.examples.gitlog;

import io.github.stablecut.examples.gitlog.Commit.FileChange;
import io.github.stablecut.examples.gitlog.TopReport.AuthorRow;
import io.github.stablecut.examples.gitlog.TopReport.FileRow;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Counts commits with plain maps, as the oracle for the store. */
final class PlainCount {
  private static final class Sums {
    private final Set<String> authors = new HashSet<>();
    private long commits;
    private long added;
    private long deleted;

    void count(String author, long addedLines, long deletedLines) {
      authors.add(author);
      commits++;
      added += addedLines;
      deleted += deletedLines;
    }
  }

  private PlainCount() {}

  /** The report of the given commits. */
  static TopReport of(List<Commit> commits) {
    Sums all = new Sums();
    Map<String, Sums> authors = new HashMap<>();
    Map<String, Sums> files = new HashMap<>();
    for (Commit commit : commits) {
      String author = commit.author();
      Sums authorSums = authors.computeIfAbsent(author, name -> new Sums());
      all.commits++;
      authorSums.commits++;
      for (FileChange change : commit.changes()) {
        all.added += change.added();
        all.deleted += change.deleted();
        authorSums.added += change.added();
        authorSums.deleted += change.deleted();
        files
            .computeIfAbsent(change.file(), name -> new Sums())
            .count(author, change.added(), change.deleted());
      }
    }
    return new TopReport(all.commits, all.added, all.deleted, authorRows(authors), fileRows(files));
  }

  private static List<AuthorRow> authorRows(Map<String, Sums> authors) {
    return authors.entrySet().stream()
        .map(
            e ->
                new AuthorRow(
                    e.getKey(), e.getValue().commits, e.getValue().added, e.getValue().deleted))
        .sorted(
            Comparator.comparingLong(AuthorRow::commits)
                .reversed()
                .thenComparing(AuthorRow::author, PlainCount::compareCodePoints))
        .toList();
  }

  private static List<FileRow> fileRows(Map<String, Sums> files) {
    return files.entrySet().stream()
        .map(
            e ->
                new FileRow(
                    e.getKey(),
                    e.getValue().commits,
                    e.getValue().added,
                    e.getValue().deleted,
                    e.getValue().authors.size()))
        .sorted(
            Comparator.comparingLong(FileRow::commits)
                .reversed()
                .thenComparing(FileRow::file, PlainCount::compareCodePoints))
        .toList();
  }

  private static int compareCodePoints(String a, String b) {
    return java.util.Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
  }
}
