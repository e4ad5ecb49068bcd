package io.github.stablecut;

import static io.github.stablecut.DataCentreStores.readAfter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.replication.LinkFaults;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data centre whose directory was reset to an older state from a copy of the files. */
final class DataCentreResetTest {
  private static final CounterKey LIKES = Key.counter("posts", "likes");
  private static final CounterKey LATER = Key.counter("posts", "later");

  @TempDir Path directory;
  private DataCentreStores stores;

  @BeforeEach
  void setUp() {
    stores = new DataCentreStores(directory);
  }

  /**
   * Copies the first data centre's directory to "older", after which the first commits once more.
   */
  private void putBack(Store second) throws IOException {
    Directories.copy(directory.resolve("first"), directory.resolve("older"));
    try (Store newer = stores.joined("first", second)) {
      CausalToken token = newer.update(LIKES.increment(1));
      assertThat(readAfter(second, token, LIKES)).isEqualTo(2);
    }
  }

  /** The second of two data centres, of which the first is closed and has committed once. */
  private Store second() {
    try (Store first = stores.first("first")) {
      Store second = stores.joined("second", first);
      CausalToken token = first.update(LIKES.increment(1));
      assertThat(readAfter(second, token, LIKES)).isEqualTo(1);
      return second;
    }
  }

  private static void awaitDetected(Store older) {
    List<String> warnings =
        Arrival.await(
            () -> older.status().health().warnings(),
            told -> told.toString().contains("restored to an older state"));
    assertThat(warnings.toString())
        .contains("data centre 1 has transactions that this one, 0")
        .contains("detach data centre 0")
        .contains("export")
        .contains("empty directory");
  }

  @Test
  void neitherSendsNorCommitsNorReopens() throws IOException {
    try (Store second = second()) {
      putBack(second);
      try (Store older = stores.joined("older", second)) {
        awaitDetected(older);
        assertThatThrownBy(() -> older.update(LATER.increment(1)))
            .isInstanceOf(ReplicationRefusedException.class)
            .hasMessageContaining("restored to an older state");
        assertThatThrownBy(() -> older.dataCentres().leave(Duration.ZERO))
            .isInstanceOf(ReplicationRefusedException.class)
            .hasMessageContaining("restored to an older state");
        assertThat(older.read(LIKES)).isEqualTo(1);
      }
      assertThatThrownBy(() -> stores.joined("older", second))
          .isInstanceOf(ReplicationRefusedException.class)
          .hasMessageContaining("restored to an older state");
      try (Store alone = Stablecut.open(directory.resolve("older"))) {
        assertThat(alone.read(LIKES)).isEqualTo(1);
      }
      assertThat(second.read(LIKES)).isEqualTo(2);
    }
  }

  @Test
  void isDetectedAfterItHasCommittedToo() throws IOException {
    LinkFaults cable = new LinkFaults(1);
    cable.cutAll();
    try (Store second = second()) {
      putBack(second);
      try (Store older = stores.joined("older", second, it -> it.through(cable::around))) {
        older.update(LATER.increment(1));
        cable.heal();
        awaitDetected(older);
      }
      assertThat(second.read(LATER)).isZero();
      assertThat(second.read(LIKES)).isEqualTo(2);
    }
  }
}
