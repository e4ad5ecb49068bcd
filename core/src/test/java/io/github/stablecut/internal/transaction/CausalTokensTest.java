package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens of a store that was opened twice, with later times of another data centre. */
final class CausalTokensTest {
  private static final CounterKey KEY = Key.counter("b", "k");
  private static final int OTHER = 1;

  @TempDir private Path directory;
  private EmbeddedStore store;
  private CausalToken old;

  @BeforeEach
  void openTwice() {
    store = opened();
    old = store.update(KEY.increment());
    store.close();
    store = opened();
  }

  private EmbeddedStore opened() {
    return (EmbeddedStore) StoreOpening.open(directory.resolve("data"), StoreOptions.defaults());
  }

  @AfterEach
  void close() {
    store.close();
  }

  private VectorClock withLaterTimeOfOther(CausalToken token) {
    CausalToken present = store.update(KEY.increment());
    return token.vector().with(OTHER, present.vector().get(0) + 1);
  }

  @Test
  void aTokenNamesTheOpeningThatReportedItsOwnTime() {
    CausalToken issued = store.token(withLaterTimeOfOther(old));

    assertThat(issued.opening()).isEqualTo(old.opening());
    assertThat(store.update(KEY.increment()).opening()).isNotEqualTo(old.opening());
  }

  @Test
  void aTimeOfAnotherDataCentreDoesNotMakeATokenOneOfACopy() {
    CausalToken ahead = new CausalToken(old.storeId(), old.opening(), withLaterTimeOfOther(old));

    assertThatThrownBy(() -> store.at(ahead))
        .isInstanceOf(UnknownSnapshotException.class)
        .hasMessageContaining("is ahead of the store");
  }
}
