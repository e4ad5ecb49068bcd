package io.github.stablecut;

import static io.github.stablecut.DataCentreStores.readAfter;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.Replication;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data centres that are away for longer than the others retain data for them. */
final class LagOfDataCentresTest {
  private static final CounterKey LIKES = Key.counter("posts", "likes");

  @TempDir Path directory;

  private static Replication atOnce(Replication replication) {
    return replication.withMaxLag(Duration.ofSeconds(1));
  }

  @Test
  void detachesAlsoADataCentreThatLacksOnlyAnothersCommits() {
    DataCentreStores stores = new DataCentreStores(directory);
    try (Store allocator = stores.first("allocator", LagOfDataCentresTest::atOnce);
        Store busy = stores.joined("busy", allocator, LagOfDataCentresTest::atOnce)) {
      try (Store away = stores.joined("away", allocator, LagOfDataCentresTest::atOnce)) {
        CausalToken token = busy.update(LIKES.increment(1));
        assertThat(readAfter(away, token, LIKES)).isEqualTo(1);
      }
      CausalToken last = busy.update(LIKES.increment(1));
      assertThat(readAfter(allocator, last, LIKES)).isEqualTo(2);
      List<DataCentre> all =
          Arrival.await(
              () -> allocator.dataCentres().all(),
              known -> known.get(2).state() == DataCentre.State.DETACHED);
      assertThat(all.get(1).state()).isEqualTo(DataCentre.State.MEMBER);
      // The detached one holds up no other.
      CausalToken next = busy.update(LIKES.increment(1));
      assertThat(readAfter(allocator, next, LIKES)).isEqualTo(3);
    }
  }
}
