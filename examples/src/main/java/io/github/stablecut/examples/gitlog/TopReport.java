package io.github.stablecut.examples.gitlog;

import io.github.stablecut.Reader;
import io.github.stablecut.Values;
import io.github.stablecut.examples.gitlog.Schema.Tally;
import io.github.stablecut.key.Key;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * The authors and files with the most commits at a point of a store's history. Its shape is that of
 * the printed JSON. Immutable.
 *
 * @param commits of all
 * @param added lines, of all
 * @param deleted lines, of all
 * @param authors by commits, most first, then by name
 * @param files by commits, most first, then by path
 */
record TopReport(
    long commits, long added, long deleted, List<AuthorRow> authors, List<FileRow> files) {
  /** Copies the lists. */
  TopReport {
    authors = List.copyOf(authors);
    files = List.copyOf(files);
  }

  /** The figures of an author. */
  record AuthorRow(String author, long commits, long added, long deleted) {}

  /**
   * The figures of a file.
   *
   * @param authors the number of authors who changed it
   */
  record FileRow(String file, long commits, long added, long deleted, int authors) {}

  private record NameCount(String name, long commits) {}

  /**
   * Reads a report.
   *
   * @param store at the requested point
   * @param rows the maximum number of authors and of files
   */
  static TopReport read(Reader store, int rows) {
    Values all = store.read(Schema.ALL.keys());
    return new TopReport(
        all.get(Schema.ALL.commits()),
        all.get(Schema.ALL.added()),
        all.get(Schema.ALL.deleted()),
        authors(store, rows),
        files(store, rows));
  }

  private static List<AuthorRow> authors(Reader store, int rows) {
    List<AuthorRow> authors = new ArrayList<>();
    for (NameCount top : top(store, store.read(Schema.AUTHORS), Schema::author, rows)) {
      Tally tally = Schema.author(top.name);
      Values values = store.read(tally.keys());
      authors.add(
          new AuthorRow(
              top.name, top.commits, values.get(tally.added()), values.get(tally.deleted())));
    }
    return authors;
  }

  private static List<FileRow> files(Reader store, int rows) {
    List<FileRow> files = new ArrayList<>();
    for (NameCount top : top(store, store.read(Schema.FILES), Schema::file, rows)) {
      Tally tally = Schema.file(top.name);
      List<Key<?>> keys = new ArrayList<>(tally.keys());
      keys.add(Schema.authorsOf(top.name));
      Values values = store.read(keys);
      files.add(
          new FileRow(
              top.name,
              top.commits,
              values.get(tally.added()),
              values.get(tally.deleted()),
              values.get(Schema.authorsOf(top.name)).size()));
    }
    return files;
  }

  /** The names with the most commits. Only the commit counters are read for all names. */
  private static List<NameCount> top(
      Reader store, Collection<String> names, Function<String, Tally> tallies, int rows) {
    Values commits = store.read(names.stream().map(name -> tallies.apply(name).commits()).toList());
    // Sets return their elements ordered by name, and the sort is stable.
    return names.stream()
        .map(name -> new NameCount(name, commits.get(tallies.apply(name).commits())))
        .sorted(Comparator.comparingLong(NameCount::commits).reversed())
        .limit(rows)
        .toList();
  }
}
