package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointStatus;
import io.github.stablecut.internal.cache.VersionCache;
import io.github.stablecut.internal.hook.StoreHooks;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.truncation.Watermarks;
import io.github.stablecut.journal.JournalStatus;
import java.util.function.Function;

/** A partition's figures in the words of the API. */
final class Statuses {
  private Statuses() {}

  static StoreStatus of(
      Partition partition, StoreHooks hooks, Function<VectorClock, CausalToken> token) {
    JournalStatus journal = partition.journalStatus();
    return new StoreStatus(
        token.apply(VectorClock.ZERO).storeId(),
        journal.epoch(),
        partition.claims(),
        times(partition.watermarks(), partition.stable(), token),
        journal(journal),
        checkpoints(partition.checkpointStatus()),
        memory(partition.objects(), partition.cache()),
        hooks.status());
  }

  private static StoreStatus.Times times(
      Watermarks times, VectorClock stable, Function<VectorClock, CausalToken> token) {
    return new StoreStatus.Times(
        token.apply(times.lowWatermark()),
        token.apply(times.checkpointTime()),
        token.apply(times.causalSafePoint()),
        token.apply(times.minDependency()),
        token.apply(times.maxCommitted()),
        token.apply(stable));
  }

  private static StoreStatus.Journal journal(JournalStatus journal) {
    return new StoreStatus.Journal(
        journal.segments().get(0).number(),
        journal.segments().size(),
        journal.segments().stream().mapToLong(JournalStatus.Segment::allocatedBytes).sum(),
        journal.records(),
        journal.syncs(),
        journal.largestGroup());
  }

  private static StoreStatus.Checkpoints checkpoints(CheckpointStatus checkpoints) {
    return new StoreStatus.Checkpoints(
        checkpoints.manifest().runs().size(), checkpoints.entries(), checkpoints.bytes());
  }

  private static StoreStatus.Memory memory(int objects, VersionCache cache) {
    return new StoreStatus.Memory(
        objects,
        cache.misses(),
        cache.levels().stream()
            .map(
                level ->
                    new StoreStatus.CacheLevel(
                        level.objects(), level.bytes(), level.hits(), level.evictions()))
            .toList());
  }
}
