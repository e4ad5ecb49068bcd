package io.github.stablecut.examples.gitlog;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Reader;
import io.github.stablecut.Store;
import io.github.stablecut.Values;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The token of every commit, in the store itself. A token is known only after its transaction, so a
 * later transaction stores it; {@link #complete} finds those that a crash has left unstored.
 *
 * <p>Invariant: tokens are stored in the order of the commits, without gaps.
 */
final class CommitTokens {
  private static final Pattern PREFIX = Pattern.compile("[0-9a-f]{1,64}");
  private static final int SHOWN_CANDIDATES = 5;

  /** The store's data centre: the example opens only stores of the first one. */
  private static final LocalDataCentre LOCAL = LocalDataCentre.FIRST;

  private CommitTokens() {}

  /**
   * Creates updates that store tokens.
   *
   * @param tokens those after the stored ones, in order; may be empty
   */
  static List<Update> keep(List<CommitToken> tokens) {
    List<Update> updates = new ArrayList<>();
    for (CommitToken token : tokens) {
      updates.add(shard(token.hash()).add(token));
    }
    if (!tokens.isEmpty()) {
      updates.add(Schema.TOKENS.assign(tokens.get(tokens.size() - 1)));
    }
    return updates;
  }

  private static AddWinsSetKey<CommitToken> shard(String hash) {
    return Schema.commits(hash.substring(0, Schema.SHARD_DIGITS));
  }

  /**
   * Finds the token of a commit.
   *
   * @param prefix the commit's hash, or a prefix that no other commit's hash has
   * @throws GitLogException if no or more than one commit matches
   */
  static CommitToken find(Reader store, String prefix) {
    String digits = prefix.toLowerCase(Locale.ROOT);
    if (!PREFIX.matcher(digits).matches()) {
      throw new GitLogException(
          "\"" + prefix + "\" is not the hash of a commit: give hexadecimal digits");
    }
    List<CommitToken> found = new ArrayList<>();
    List<AddWinsSetKey<CommitToken>> shards = shards(digits);
    Values values = store.read(shards);
    for (AddWinsSetKey<CommitToken> shard : shards) {
      values.get(shard).stream().filter(t -> t.hash().startsWith(digits)).forEach(found::add);
    }
    if (found.isEmpty()) {
      throw new GitLogException(
          "no commit whose hash begins with "
              + digits
              + " was imported: check the hash with git log");
    }
    if (found.size() > 1) {
      throw new GitLogException(
          "%s is ambiguous, because the hashes of %,d commits begin with it: give more digits of %s"
              .formatted(
                  digits,
                  found.size(),
                  String.join(
                      ", ",
                      found.stream().limit(SHOWN_CANDIDATES).map(CommitToken::hash).toList())));
    }
    return found.get(0);
  }

  /** The shards that may have a hash with a prefix. */
  private static List<AddWinsSetKey<CommitToken>> shards(String digits) {
    if (digits.length() >= Schema.SHARD_DIGITS) {
      return List.of(shard(digits));
    }
    List<AddWinsSetKey<CommitToken>> shards = new ArrayList<>();
    for (int second = 0; second < 16; second++) {
      shards.add(Schema.commits(digits + Integer.toHexString(second)));
    }
    return shards;
  }

  /**
   * Stores the tokens that a crash has left unstored. Because the past is readable, a binary search
   * finds them: it reads how far the import was at times between the last stored token and now.
   */
  static void complete(Store store) {
    Optional<CommitToken> kept = store.read(Schema.TOKENS);
    CausalToken now = store.snapshot().token();
    Search search = new Search(store, now.storeId());
    // Search the past before the present: reads of a later time resume where earlier ones ended.
    long from = kept.map(token -> timeOf(token.token())).orElse(0L);
    Imported before = search.importedAt(from);
    long to = timeOf(now);
    search.between(from, before, to, search.importedAt(to));
    if (!search.found.isEmpty()) {
      store.update(keep(search.found).toArray(Update[]::new));
    }
  }

  private static long timeOf(CausalToken token) {
    return LOCAL.timeIn(token.vector());
  }

  /** A binary search for the times of commits. */
  private static final class Search {
    private final Store store;
    private final long storeId;
    private final List<CommitToken> found = new ArrayList<>();

    Search(Store store, long storeId) {
      this.store = store;
      this.storeId = storeId;
    }

    Imported importedAt(long time) {
      return store.at(tokenOf(time)).read(Schema.IMPORTED).orElse(Imported.NOTHING);
    }

    private CausalToken tokenOf(long time) {
      return new CausalToken(storeId, LOCAL.at(time));
    }

    /** Finds the commits that were imported after one time and not after another. */
    void between(long from, Imported before, long to, Imported after) {
      if (before.number() == after.number()) {
        return;
      }
      if (to - from == 1) {
        found.add(new CommitToken(after.hash(), after.number(), tokenOf(to)));
        return;
      }
      long middle = from + (to - from) / 2;
      Imported then = importedAt(middle);
      between(from, before, middle, then);
      between(middle, then, to, after);
    }
  }
}
