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

  private static Replication soon(Replication replication) {
    return replication.withMaxLag(Duration.ofSeconds(3));
  }

  @Test
  void aNewOneIsNotDetachedWhileItReceivesItsInitialState() throws Exception {
    DataCentreStores stores = new DataCentreStores(directory);
    try (Store allocator = stores.first("allocator", LagOfDataCentresTest::soon);
        SlowProxy proxy = new SlowProxy(DataCentreStores.address(allocator), 8_000)) {
      CausalToken before = allocator.update(LIKES.increment(1));
      proxy.onPause(() -> allocator.update(LIKES.increment(1)));

      try (Store late =
          stores.open("late", soon(Replication.tcp("127.0.0.1:0").join(proxy.address())))) {
        assertThat(readAfter(late, before, LIKES)).isGreaterThanOrEqualTo(1);
        CausalToken own = late.update(LIKES.increment(10));

        assertThat(readAfter(allocator, own, LIKES)).isEqualTo(12);
        Arrival.await(
            () -> allocator.dataCentres().all().get(1).state(),
            state -> state == DataCentre.State.MEMBER);
      }
    }
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
