package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Transaction;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RemoveWinsSetKey;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import org.junit.jupiter.api.Test;

/** Protocol 5.1: a checkpoint prunes nothing that a later effect has to meet. */
final class PruneFrontierTest {
  private static final RemoveWinsSetKey<String> SET = Key.removeWinsSet("b", "set", Codec.string());

  private final LossyDisk disk = LossyDisk.empty();

  private EmbeddedStore open() {
    return disk.open(
        StoreOptions.defaults()
            .withLimits(LossyDisk.LIMITS)
            .withCache(CacheOptions.off())
            .withCheckpoints(CheckpointPolicy.byCall()));
  }

  @Test
  void keepsARemovalForAConcurrentTransaction() {
    try (EmbeddedStore store = open();
        Transaction beside = store.begin()) {
      store.update(SET.remove("e"));
      store.checkpoint();
      beside.update(SET.add("e"));
      beside.commit();

      assertThat(store.read(SET)).isEmpty();
      store.checkpoint();
      assertThat(store.read(SET)).isEmpty();
    }
  }

  /** Scenario 45: it has ended when the frontier is chosen, but is not in the checkpoint. */
  @Test
  void keepsARemovalForATransactionCommittedBehindTheCheckpoint() {
    try (EmbeddedStore store = open()) {
      Partition partition = store.partitions().local().get(0);
      try (Maintenance.Pause pause = partition.maintenance().pause();
          Transaction beside = store.begin()) {
        VectorClock chosen = store.update(SET.remove("e")).vector();
        beside.update(SET.add("e"));
        beside.commit();
        try (CheckpointView view = pause.checkpointAt(chosen)) {
          assertThat(view.manifest().checkpointTime()).isEqualTo(chosen);
        }
      }

      assertThat(store.read(SET)).isEmpty();
      assertThat(store.update(SET.add("e")).vector()).isNotNull();
      assertThat(store.read(SET)).containsExactly("e");
    }
  }
}
