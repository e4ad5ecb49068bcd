package io.github.stablecut.examples.gitlog;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import java.util.ArrayList;
import java.util.List;

/**
 * The objects in the store, and the updates of a commit.
 *
 * <pre>
 *   bucket           key           object
 *   gitlog           imported      register: the import's progress, and the last commit's hash and date
 *   gitlog           tokens        register: the last commit whose token is stored
 *   gitlog           authors       set of names
 *   gitlog           files         set of paths
 *   all              ""            counters commits, added, deleted: each in a bucket of its own,
 *   author           a name        as "author/added"
 *   file             a path
 *   file/authors     a path        set of names
 *   commits          two digits    set of the tokens of the commits whose hashes begin with them
 * </pre>
 */
final class Schema {
  static final RegisterKey<Imported> IMPORTED = Key.register("gitlog", "imported", Imported.CODEC);
  static final RegisterKey<CommitToken> TOKENS =
      Key.register("gitlog", "tokens", CommitToken.CODEC);
  static final AddWinsSetKey<String> AUTHORS = Key.addWinsSet("gitlog", "authors", Codec.string());
  static final AddWinsSetKey<String> FILES = Key.addWinsSet("gitlog", "files", Codec.string());
  static final Tally ALL = Tally.of("all", "");

  /** The number of hexadecimal digits that select a commit's shard. */
  static final int SHARD_DIGITS = 2;

  private Schema() {}

  /** The counters of everything, of an author, or of a file. */
  record Tally(CounterKey commits, CounterKey added, CounterKey deleted) {
    private static Tally of(String family, String name) {
      return new Tally(
          Key.counter(family + "/commits", name),
          Key.counter(family + "/added", name),
          Key.counter(family + "/deleted", name));
    }

    /** The three counters. */
    List<CounterKey> keys() {
      return List.of(commits, added, deleted);
    }

    private void count(long addedLines, long deletedLines, List<Update> updates) {
      updates.add(commits.increment());
      if (addedLines > 0) {
        updates.add(added.increment(addedLines));
      }
      if (deletedLines > 0) {
        updates.add(deleted.increment(deletedLines));
      }
    }
  }

  static Tally author(String name) {
    return Tally.of("author", name);
  }

  static Tally file(String path) {
    return Tally.of("file", path);
  }

  static AddWinsSetKey<String> authorsOf(String path) {
    return Key.addWinsSet("file/authors", path, Codec.string());
  }

  /** The tokens of the commits whose hashes begin with some digits. */
  static AddWinsSetKey<CommitToken> commits(String digits) {
    return Key.addWinsSet("commits", digits, CommitToken.CODEC);
  }

  /** The updates of a commit's counters and sets. */
  static List<Update> counts(Commit commit) {
    List<Update> updates = new ArrayList<>();
    ALL.count(commit.added(), commit.deleted(), updates);
    author(commit.author()).count(commit.added(), commit.deleted(), updates);
    for (Commit.FileChange change : commit.changes()) {
      file(change.file()).count(change.added(), change.deleted(), updates);
      updates.add(authorsOf(change.file()).add(commit.author()));
    }
    return updates;
  }
}
