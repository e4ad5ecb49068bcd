package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.NotOnThisNodeException;
import io.github.stablecut.Store;
import io.github.stablecut.StoreOptions;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.Surroundings;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A store over partitions that are somewhere says what it can't do. */
final class RingTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults().withLimits(LossyDisk.LIMITS);

  private record OneNode(List<PartitionAccess> partitions, ActiveSnapshots active, long epoch)
      implements Ring {
    @Override
    public void committed(long time) {
      // There is nobody else to be told.
    }
  }

  @Test
  void aWatchIsRefused() {
    LossyDisk disk = LossyDisk.empty();
    ActiveSnapshots active = EmbeddedStore.claims(OPTIONS);
    Partition only =
        Partition.open(
            Settings.of(OPTIONS, 0),
            Surroundings.alone(1, Settings.clock(OPTIONS), active, (to, message) -> {}),
            disk.journal(),
            disk.checkpoints());
    StoreIdentity identity = new StoreIdentity(1, 1);
    try (Store store =
        EmbeddedStore.over(identity, new OneNode(List.of(only), active, 1), OPTIONS)) {
      assertThatThrownBy(() -> store.watch("b"))
          .isInstanceOf(NotOnThisNodeException.class)
          .hasMessageContaining("this node has 1 of 1");
    }
  }
}
