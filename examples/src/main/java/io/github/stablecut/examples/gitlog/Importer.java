package io.github.stablecut.examples.gitlog;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.Update;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Imports the commits of a log into a store, each in one transaction. Used once, by one thread.
 *
 * <p>Transactions are submitted in the order of the log without waiting for durability, so that
 * many share a sync; at most {@link #MAX_IN_FLIGHT} are in flight. The store commits in the order
 * of submission, so after a crash it has the commits up to some commit and none after.
 */
final class Importer {
  static final int MAX_IN_FLIGHT = 128;

  /**
   * The result of an import.
   *
   * @param skipped the number of commits that the store had before
   * @param imported the number of new commits
   */
  record Result(long skipped, long imported) {}

  private record InFlightCommit(Imported commit, CompletableFuture<CausalToken> token) {}

  private final Store store;
  private final LogSource source;
  private final ProgressBar progress;
  private final Deque<InFlightCommit> inFlight = new ArrayDeque<>();

  private Imported imported = Imported.NOTHING;
  private Set<String> knownAuthors = Set.of();
  private Set<String> knownFiles = Set.of();

  Importer(Store store, LogSource source, ProgressBar progress) {
    this.store = store;
    this.source = source;
    this.progress = progress;
  }

  /**
   * Imports the commits that the store does not have yet.
   *
   * @throws GitLogException if the log is malformed, or does not begin with the stored commits; the
   *     commits before a malformed line are imported
   */
  Result run() {
    CommitTokens.complete(store);
    CommitReader log = new CommitReader(source.stream(), source.name());
    skip(log, store.read(Schema.IMPORTED).orElse(Imported.NOTHING));
    long skipped = imported.number();
    progress.begin("importing", skipped);
    knownAuthors = new HashSet<>(store.read(Schema.AUTHORS));
    knownFiles = new HashSet<>(store.read(Schema.FILES));
    for (Optional<Commit> next = log.next(); next.isPresent(); next = log.next()) {
      submit(next.get());
      progress.update(imported.number(), source.fraction(imported.number()));
    }
    source.finish();
    if (imported.number() == 0) {
      throw new GitLogException(source.name() + " has no commits to import");
    }
    store.update(CommitTokens.keep(acknowledged(0)).toArray(Update[]::new));
    return new Result(skipped, imported.number() - skipped);
  }

  /** Reads the commits that the store has, and checks that they are the same. */
  private void skip(CommitReader log, Imported stored) {
    progress.begin("comparing", 0);
    while (imported.number() < stored.number()) {
      Optional<Commit> next = log.next();
      if (next.isEmpty()) {
        source.finish();
        throw mismatch(
            "ends after %,d commits, but the store has %,d"
                .formatted(imported.number(), stored.number()));
      }
      imported = imported.next(next.get());
      progress.update(imported.number(), source.fraction(imported.number()));
    }
    if (!imported.hash().equals(stored.hash())) {
      throw mismatch(
          "has %s as commit %,d, but the store has %s"
              .formatted(imported.hash(), stored.number(), stored.hash()));
    }
    if (!imported.chain().equals(stored.chain())) {
      throw mismatch(
          "has the same commit %s as number %,d, but other commits before it"
              .formatted(stored.hash(), stored.number()));
    }
  }

  private GitLogException mismatch(String facts) {
    return new GitLogException(
        "%s %s: it is another repository, or its history was rewritten, or a merge inserted older commits; import it into another directory"
            .formatted(source.name(), facts));
  }

  private void submit(Commit commit) {
    List<CommitToken> tokens = acknowledged(MAX_IN_FLIGHT - 1);
    imported = imported.next(commit);
    try {
      Update[] updates = updates(commit, tokens).toArray(Update[]::new);
      inFlight.add(new InFlightCommit(imported, store.updateAsync(updates).toCompletableFuture()));
    } catch (LimitExceededException e) {
      throw new GitLogException("commit " + commit.hash() + ": " + e.getMessage(), e);
    }
  }

  private List<Update> updates(Commit commit, List<CommitToken> tokens) {
    List<Update> updates = new ArrayList<>(CommitTokens.keep(tokens));
    updates.add(Schema.IMPORTED.assign(imported));
    updates.addAll(Schema.counts(commit));
    if (knownAuthors.add(commit.author())) {
      updates.add(Schema.AUTHORS.add(commit.author()));
    }
    for (Commit.FileChange change : commit.changes()) {
      if (knownFiles.add(change.file())) {
        updates.add(Schema.FILES.add(change.file()));
      }
    }
    return updates;
  }

  /**
   * The tokens acknowledged since the last call, in order.
   *
   * @param mayRemain the number of transactions that may stay in flight
   */
  private List<CommitToken> acknowledged(int mayRemain) {
    List<CommitToken> tokens = new ArrayList<>();
    while (!inFlight.isEmpty() && (inFlight.size() > mayRemain || inFlight.peek().token.isDone())) {
      InFlightCommit oldest = inFlight.remove();
      tokens.add(
          new CommitToken(oldest.commit.hash(), oldest.commit.number(), await(oldest.token)));
    }
    return tokens;
  }

  private static CausalToken await(CompletableFuture<CausalToken> token) {
    try {
      return token.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof StablecutException failure) {
        throw failure;
      }
      throw e;
    }
  }
}
