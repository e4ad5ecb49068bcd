package io.github.stablecut;

import static io.github.stablecut.DataCentreStores.readAfter;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A forked data centre: its directory was copied, and both instances continued, each connected to
 * another data centre.
 */
final class DataCentreForkTest {
  private static final CounterKey LIKES = Key.counter("posts", "likes");
  private static final CounterKey LATER = Key.counter("posts", "later");

  @TempDir Path directory;

  /**
   * @param isHeardLater whether more time is known of the life that committed first than of the
   *     other one: then no later transaction reveals the difference
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void doesNotMergeTransactionsOfBothLivesAndReportsTheFork(boolean isHeardLater)
      throws IOException {
    DataCentreStores stores = new DataCentreStores(directory);
    try (Store first = stores.first("first")) {
      CausalToken token = first.update(LIKES.increment(1));
      try (Store second = stores.joined("second", first);
          Store third = stores.joined("third", first)) {
        assertThat(readAfter(second, token, LIKES)).isEqualTo(1);
        assertThat(readAfter(third, token, LIKES)).isEqualTo(1);
      }
    }
    Directories.copy(directory.resolve("first"), directory.resolve("older"));
    commitWith(stores, "first", LIKES, "second");
    commitWith(stores, "older", LATER, "third");
    if (isHeardLater) {
      hear(stores, "first", "second");
    }

    try (Store second = stores.first("second");
        Store third = stores.joined("third", second)) {
      awaitFork(second, "data centre 2 and this one, 1");
      awaitFork(third, "data centre 1 and this one, 2");
      assertThat(List.of(second.read(LIKES), second.read(LATER))).containsExactly(2L, 0L);
      assertThat(List.of(third.read(LIKES), third.read(LATER))).containsExactly(1L, 1L);
    }
  }

  /**
   * Commits once more at data centre 0, as one of its two lives, and waits until another data
   * centre has it.
   */
  private static void commitWith(
      DataCentreStores stores, String life, CounterKey counter, String with) {
    try (Store other = stores.first(with);
        Store store = stores.joined(life, other)) {
      long before = other.read(counter);
      CausalToken token = store.update(counter.increment(1));
      assertThat(readAfter(other, token, counter)).isEqualTo(before + 1);
    }
  }

  /** Another data centre hears of a life of data centre 0 that commits nothing more. */
  private static void hear(DataCentreStores stores, String life, String with) {
    try (Store other = stores.first(with);
        Store store = stores.joined(life, other)) {
      assertThat(readAfter(other, store.snapshot().token(), LIKES)).isEqualTo(2);
    }
  }

  private static void awaitFork(Store store, String who) {
    List<String> warnings =
        Arrival.await(
            () -> store.status().health().warnings(),
            told -> told.toString().contains("have different transactions of data centre 0"));
    assertThat(warnings.toString())
        .contains(who)
        .contains("copied or restored to an older state")
        .contains("Detach 0")
        .contains("export")
        .contains("empty directories");
  }
}
