package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.checkpoint.CheckpointOptions;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.clock.MachineClock;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.thread.HeapShare;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.SyncPolicy;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.util.concurrent.ThreadLocalRandom;

/** Translates the options of a store into those of its partitions. */
public final class PartitionSettings {
  /**
   * The bytes that may be queued before committers wait: a part of the default disk reserve. A
   * small heap allows less, because each record's effects are held encoded and as objects, which
   * may take ten times as much.
   */
  private static final int MIN_QUEUE_BYTES = 64 << 20;

  /**
   * The random offset, in milliseconds, of a clock that starts ahead of the machine's is below
   * this.
   */
  private static final int MAX_AHEAD = 1 << 17;

  private static final long DEFAULT_CACHE_BYTES =
      ((CacheOptions.Adaptive) CacheOptions.defaults()).capacity().amount();

  /**
   * The bytes that may wait for the watches of a partition, in addition to one group; beyond that,
   * the watches end.
   */
  private static final long MAX_FEED_BYTES = 64L << 20;

  private static final long MIN_FEED_BYTES = 64 << 10;

  /**
   * The low watermark rises in steps of this part of the retention, and the journal holds one step
   * more.
   */
  private static final int STEPS_OF_RETENTION = 6;

  private PartitionSettings() {}

  public static PartitionOptions of(StoreOptions options, LocalDataCentre local, int number) {
    return of(options, local, number, JournalOptions.WHOLE);
  }

  /**
   * @param end where the journal is cut off when it is opened, as {@link JournalOptions#end}
   */
  static PartitionOptions of(StoreOptions options, LocalDataCentre local, int number, long end) {
    StoreOptions.Limits limits = options.limits();
    int shares = Math.max(1, options.partitions());
    JournalOptions journal =
        JournalOptions.named("journal of partition " + number)
            .withSegmentBytes(limits.segmentBytes())
            .withReserveBytes(limits.reserveBytes())
            .withQueueBytes(queueBytes(limits.transactionBytes(), shares))
            .withEnd(end);
    return new PartitionOptions(
        number,
        local,
        options.maxTransactionAge(),
        new PartitionOptions.JournalSettings(journal, policy(options.durability(), shares)),
        new PartitionOptions.Memory(
            options.index().isEnabled() ? limits.effectBytes() / shares : 0,
            options.index(),
            share(options.cache(), shares),
            DEFAULT_CACHE_BYTES / shares,
            Math.max(MIN_FEED_BYTES, HeapShare.ofLarge(MAX_FEED_BYTES, shares)),
            shares),
        new PartitionOptions.Checkpoints(
            options.checkpoints(),
            CheckpointOptions.DEFAULTS
                .withReserveBytes(limits.reserveBytes())
                .withStepMillis(options.checkpoints().retention().toMillis() / STEPS_OF_RETENTION)),
        new PartitionOptions.Timeouts(options.timeouts().commit(), options.timeouts().read()),
        new PartitionOptions.Sessions(
            options.timeouts().session(), limits.sessions(), limits.sessionsPerClient()));
  }

  private static long queueBytes(int transactionBytes, int shares) {
    return HeapShare.of(Math.max(MIN_QUEUE_BYTES, transactionBytes), shares);
  }

  /** A partition's share of the store's memory. */
  private static CacheOptions share(CacheOptions cache, int shares) {
    if (cache instanceof CacheOptions.Adaptive adaptive) {
      return new CacheOptions.Adaptive(share(adaptive.capacity(), shares));
    } else if (cache instanceof CacheOptions.Levels levels) {
      return new CacheOptions.Levels(
          levels.capacities().stream().map(level -> share(level, shares)).toList());
    }
    return cache;
  }

  private static CacheOptions.Capacity share(CacheOptions.Capacity capacity, int shares) {
    return new CacheOptions.Capacity(Math.max(1, capacity.amount() / shares), capacity.inBytes());
  }

  /** Creates the clock that the partitions of a process share. */
  public static HybridClock clock(StoreOptions options) {
    return new HybridClock(
        new MachineClock(options.clock(), System::nanoTime, options.maxClockJump()),
        ThreadLocalRandom.current().nextInt(MAX_AHEAD));
  }

  /** Creates the registry of active snapshots of a process. */
  public static ActiveSnapshots activeSnapshots(StoreOptions options) {
    return new ActiveSnapshots(System::nanoTime, options.maxTransactionAge().toNanos());
  }

  /**
   * @param partitions if there are several, their records depend on each other
   */
  private static SyncPolicy policy(Durability durability, int partitions) {
    if (durability instanceof Durability.Group group) {
      return new SyncPolicy.Group(group.window());
    }
    if (durability instanceof Durability.Periodic periodic) {
      return partitions > 1
          ? new SyncPolicy.Joint(periodic.interval())
          : new SyncPolicy.Periodic(periodic.interval());
    }
    return new SyncPolicy.Batch();
  }
}
