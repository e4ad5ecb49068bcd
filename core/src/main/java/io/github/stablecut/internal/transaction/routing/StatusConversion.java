package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Latencies;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointStatus;
import io.github.stablecut.internal.cache.VersionCache;
import io.github.stablecut.internal.hook.StoreHooks;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.truncation.MergeProgress;
import io.github.stablecut.internal.truncation.Watermarks;
import io.github.stablecut.internal.watch.WatchDispatcher;
import io.github.stablecut.journal.JournalStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Converts the figures of partitions into the types of the API. */
public final class StatusConversion {
  /** The watermarks of a process without partitions. */
  private static final Watermarks NOTHING =
      new Watermarks(
          VectorClock.ZERO, VectorClock.ZERO, VectorClock.ZERO, VectorClock.ZERO, VectorClock.ZERO);

  private StatusConversion() {}

  public static StoreStatus of(
      Partitions partitions,
      long epoch,
      StoreHooks hooks,
      WatchDispatcher watches,
      Latencies commits,
      List<String> problems,
      Function<VectorClock, CausalToken> token) {
    List<Partition> all = partitions.local();
    return new StoreStatus(
        token.apply(VectorClock.ZERO).storeId(),
        epoch,
        partitions.all().size(),
        partitions.activeSnapshots().count(),
        times(joined(all), partitions.newest(), token),
        journal(all.stream().map(Partition::journalStatus).toList()),
        checkpoints(all),
        memory(all),
        hooks.status(),
        new StoreStatus.Activity(commits, oldest(partitions, token), inDoubt(all)),
        health(partitions, watches, problems));
  }

  private static List<StoreStatus.OpenSnapshot> oldest(
      Partitions partitions, Function<VectorClock, CausalToken> token) {
    return partitions.activeSnapshots().oldest(StoreStatus.OLDEST).stream()
        .map(
            claim ->
                new StoreStatus.OpenSnapshot(
                    Duration.ofNanos(claim.ageNanos()),
                    claim.isLimited(),
                    token.apply(claim.snapshot()),
                    claim.thread()))
        .toList();
  }

  private static List<String> inDoubt(List<Partition> all) {
    return all.stream()
        .flatMap(partition -> partition.inDoubt().stream())
        .map(TransactionId::toString)
        .distinct()
        .toList();
  }

  private static StoreStatus.Health health(
      Partitions partitions, WatchDispatcher watches, List<String> problems) {
    List<String> warnings = new ArrayList<>(problems);
    partitions.local().forEach(partition -> warnings.addAll(partition.problems()));
    warnings.addAll(partitions.problems());
    warnings.addAll(watches.problems());
    return new StoreStatus.Health(
        partitions.local().stream().flatMap(partition -> partition.failure().stream()).toList(),
        warnings);
  }

  /** The greatest of each time. */
  private static Watermarks joined(List<Partition> all) {
    return all.stream().map(Partition::watermarks).reduce(Watermarks::join).orElse(NOTHING);
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

  private static StoreStatus.Journal journal(List<JournalStatus> journals) {
    return new StoreStatus.Journal(
        journals.stream().mapToInt(journal -> journal.segments().get(0).number()).min().orElse(0),
        journals.stream().mapToInt(journal -> journal.segments().size()).sum(),
        journals.stream()
            .flatMap(journal -> journal.segments().stream())
            .mapToLong(JournalStatus.Segment::allocatedBytes)
            .sum(),
        journals.stream().mapToLong(JournalStatus::records).sum(),
        journals.stream().mapToLong(JournalStatus::syncs).sum(),
        journals.stream().mapToInt(JournalStatus::largestGroup).max().orElse(0),
        journals.stream().flatMap(journal -> journal.problem().stream()).toList());
  }

  private static StoreStatus.Checkpoints checkpoints(List<Partition> all) {
    List<CheckpointStatus> checkpoints = all.stream().map(Partition::checkpointStatus).toList();
    List<MergeProgress> merges =
        all.stream().map(partition -> partition.maintenance().merge()).toList();
    return new StoreStatus.Checkpoints(
        checkpoints.stream().mapToInt(status -> status.manifest().runs().size()).sum(),
        checkpoints.stream().flatMap(status -> status.entries().stream()).toList(),
        checkpoints.stream().mapToLong(CheckpointStatus::bytes).sum(),
        merges.stream().mapToLong(MergeProgress::writtenBytes).sum(),
        merges.stream().mapToLong(MergeProgress::atMostBytes).sum(),
        all.stream().mapToInt(partition -> partition.maintenance().failures()).max().orElse(0),
        checkpoints.stream().flatMap(status -> status.problems().stream()).toList());
  }

  private static StoreStatus.Memory memory(List<Partition> all) {
    List<StoreStatus.CacheLevel> levels = new ArrayList<>();
    for (Partition partition : all) {
      List<VersionCache.LevelStatus> found = partition.cache().levels();
      for (int level = 0; level < found.size(); level++) {
        VersionCache.LevelStatus status = found.get(level);
        StoreStatus.CacheLevel before =
            level < levels.size() ? levels.get(level) : new StoreStatus.CacheLevel(0, 0, 0, 0);
        StoreStatus.CacheLevel sum =
            new StoreStatus.CacheLevel(
                before.objects() + status.objects(),
                before.bytes() + status.bytes(),
                before.hits() + status.hits(),
                before.evictions() + status.evictions());
        if (level < levels.size()) {
          levels.set(level, sum);
        } else {
          levels.add(sum);
        }
      }
    }
    return new StoreStatus.Memory(
        all.stream().mapToInt(Partition::objects).sum(),
        all.stream().mapToLong(partition -> partition.cache().misses()).sum(),
        levels);
  }
}
