package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.checkpoint.CheckpointOptions;
import io.github.stablecut.internal.paging.PagedStates;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.SyncPolicy;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import java.time.Duration;

/**
 * The settings of a partition. Immutable.
 *
 * @param number the partition's number in its data centre
 * @param local the data centre
 * @param maxTransactionAge how long a transaction may keep its snapshot active
 * @param journal the journal
 * @param memory the use of memory
 * @param checkpoints the checkpoints
 * @param waits the timeouts
 * @param sessions which sessions are remembered
 */
public record PartitionOptions(
    int number,
    LocalDataCentre local,
    Duration maxTransactionAge,
    JournalSettings journal,
    Memory memory,
    Checkpoints checkpoints,
    Timeouts waits,
    Sessions sessions) {
  /**
   * The journal's settings.
   *
   * @param sync when records are made durable and acknowledged
   */
  public record JournalSettings(JournalOptions options, SyncPolicy sync) {}

  /**
   * The use of memory besides the index.
   *
   * @param effectBytes the limit for effects that were written and not read yet
   * @param index whether effects are listed, and when they are folded
   * @param cache the policy for versions
   * @param maxCacheBytes the limit of a cache whose size is given in objects
   * @param feedBytes the limit for commits queued for watches
   * @param partitions how many share the heap
   */
  public record Memory(
      long effectBytes,
      IndexOptions index,
      CacheOptions cache,
      long maxCacheBytes,
      long feedBytes,
      int partitions) {
    /** The limit for pages of large objects, if the cache's size is not given in bytes. */
    private static final long DEFAULT_PAGE_BYTES = 4 << 20;

    /** The limit for pages of large objects: a quarter of the cache, in addition to it. */
    public long pageBytes() {
      return cache instanceof CacheOptions.Adaptive adaptive && adaptive.capacity().inBytes()
          ? Math.max(1, adaptive.capacity().amount() / PagedStates.CACHE_PARTS)
          : DEFAULT_PAGE_BYTES;
    }
  }

  /**
   * Timeouts.
   *
   * @param commit how long the driver of a distributed transaction may take
   * @param read how long a reader waits for undecided transactions
   */
  public record Timeouts(Duration commit, Duration read) {}

  /**
   * The limits of remembered sessions.
   *
   * @param lifetime how long after its opening a session may be used
   * @param all the maximum number in all partitions that share the heap; 0 for as many as the heap
   *     has room for
   * @param perClient the maximum of those that servers have issued to one client; 0 for a quarter
   */
  public record Sessions(Duration lifetime, int all, int perClient) {}

  /** The length at which a list of effects is folded in the background. */
  public int foldAfter() {
    return memory.index.foldAfter() > 0 ? memory.index.foldAfter() : Integer.MAX_VALUE;
  }

  /** The schedule of checkpoints, and how they are stored. */
  public record Checkpoints(CheckpointPolicy policy, CheckpointOptions options) {}
}
