package io.github.stablecut.examples.gitlog;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Restores commit tokens that were not stored because of a crash. */
final class CommitTokensTest {
  private static final List<Commit> COMMITS = new RandomHistory(3).commits(300);

  @TempDir private Path directory;
  private Imported imported = Imported.NOTHING;

  /** Imports as the importer does, but without storing the tokens; returns them. */
  @CanIgnoreReturnValue
  private List<CommitToken> importWithoutTokens(Store store, List<Commit> commits) {
    List<CompletableFuture<CommitToken>> tokens = new ArrayList<>();
    for (Commit commit : commits) {
      Imported next = imported.next(commit);
      imported = next;
      tokens.add(
          store
              .updateAsync(Schema.IMPORTED.assign(next))
              .thenApply(token -> new CommitToken(next.hash(), next.number(), token))
              .toCompletableFuture());
    }
    return tokens.stream().map(CompletableFuture::join).toList();
  }

  private static void assertFound(Store store, List<CommitToken> tokens) {
    for (CommitToken token : tokens) {
      CommitToken found = CommitTokens.find(store, token.hash());
      assertThat(found.hash()).isEqualTo(token.hash());
      assertThat(found.number()).isEqualTo(token.number());
      // A token that was found by its time does not name the opening of the store that issued it.
      assertThat(found.token().vector()).isEqualTo(token.token().vector());
      assertThat(store.at(token.token()).read(Schema.IMPORTED).orElseThrow().number())
          .isEqualTo(token.number());
    }
  }

  @Test
  void restoresTheTimesThatTheCommitsReturned() {
    List<CommitToken> tokens = new ArrayList<>();
    for (int crash = 0; crash < 3; crash++) {
      try (Store store = GitLog.open(directory)) {
        CommitTokens.complete(store);
        assertFound(store, tokens);
        tokens.addAll(importWithoutTokens(store, COMMITS.subList(crash * 100, crash * 100 + 100)));
      }
    }
    try (Store store = GitLog.open(directory)) {
      CommitTokens.complete(store);
      assertFound(store, tokens);
    }
  }

  @Test
  void keepsCompleteTokensUnchanged() {
    try (Store store = GitLog.open(directory)) {
      importWithoutTokens(store, COMMITS.subList(0, 10));
      CommitTokens.complete(store);
      CausalToken before = store.snapshot().token();

      CommitTokens.complete(store);
      assertThat(store.snapshot().token()).isEqualTo(before);
    }
  }
}
