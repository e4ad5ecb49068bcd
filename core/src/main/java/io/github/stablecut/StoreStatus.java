package io.github.stablecut;

import java.time.Duration;
import java.util.List;

/**
 * Statistics and health of a store at one moment. Immutable.
 *
 * @param storeId the store's id; in a group of data centres, that of the group's first store
 * @param epoch how often the store was opened, this time included
 * @param partitions the number of partitions; with several, times are maxima and figures are sums
 * @param openTransactions the number of open transactions and pins
 * @param times the five times of truncation
 * @param journal its journal
 * @param checkpoints its checkpoints
 * @param memory memory use
 * @param hooks failures of hooks
 * @param activity activity of transactions
 * @param health failures and warnings
 */
public record StoreStatus(
    long storeId,
    long epoch,
    int partitions,
    int openTransactions,
    Times times,
    Journal journal,
    Checkpoints checkpoints,
    Memory memory,
    Hooks hooks,
    Activity activity,
    Health health) {
  /** So many of the oldest open transactions are told. */
  public static final int OLDEST = 20;

  /**
   * Failures and warnings, in words. A store without any is healthy.
   *
   * @param failures what has ended until the store is opened again, such as a journal that could
   *     not be written: commits are refused, reads go on
   * @param warnings what goes on all the same: a checkpoint that failed and is tried again, writers
   *     that are held back, a thread that has survived an error since the store was opened, a
   *     journal that ended, at the opening, in what may have been acknowledged
   */
  public record Health(List<String> failures, List<String> warnings) {
    /** Copies. */
    public Health {
      failures = List.copyOf(failures);
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * What transactions do.
   *
   * @param commits how long commits of this store's callers took that have changed something, until
   *     they were durable
   * @param oldest the {@link #OLDEST} oldest open transactions, pins and scans in this process,
   *     oldest first
   * @param inDoubt transactions over several partitions of which a partition in this process knows
   *     no outcome yet. A moment's are normal; those that stay wait for a partition that is away
   */
  public record Activity(Latencies commits, List<OpenSnapshot> oldest, List<String> inDoubt) {
    /** Copies. */
    public Activity {
      oldest = List.copyOf(oldest);
      inDoubt = List.copyOf(inDoubt);
    }
  }

  /**
   * A snapshot that is retained for a reader.
   *
   * @param age how long it is open
   * @param isLimited whether it is let go of when it is too old, as those of transactions are, or
   *     only when it is closed, as those of pins and scans are
   * @param snapshot the point
   * @param thread the name of the thread that has begun it
   */
  public record OpenSnapshot(
      Duration age, boolean isLimited, CausalToken snapshot, String thread) {}

  /**
   * The times that say what may be read and what may be forgotten. In every state: low watermark ≤
   * checkpoint time ≤ causal safe point ≤ max committed, and low watermark ≤ min dependency.
   *
   * @param lowWatermark the oldest point that may be read
   * @param checkpointTime the point of the newest checkpoint
   * @param causalSafePoint the newest durable commit, before which everything is complete
   * @param minDependency the oldest point that an open transaction or a pin reads
   * @param maxCommitted the newest commit, durable or on its way
   * @param stable the newest point that can be read: the causal safe point, or a later time
   */
  public record Times(
      CausalToken lowWatermark,
      CausalToken checkpointTime,
      CausalToken causalSafePoint,
      CausalToken minDependency,
      CausalToken maxCommitted,
      CausalToken stable) {}

  /**
   * Figures of the journal; what counts, counts since the store was opened.
   *
   * @param firstSegment the number of its oldest file: so many less one were truncated
   * @param segments the number of its files
   * @param allocatedBytes what they take on the disk
   * @param records the records that were written
   * @param syncs how often they were made durable
   * @param largestGroup the most records that one sync made durable
   * @param problems why partitions in this process take no commits now, such as a full disk; empty
   *     if they do
   */
  public record Journal(
      int firstSegment,
      int segments,
      long allocatedBytes,
      long records,
      long syncs,
      int largestGroup,
      List<String> problems) {
    /** Copies the list. */
    public Journal {
      problems = List.copyOf(problems);
    }
  }

  /**
   * Figures of the checkpoints.
   *
   * @param runs the number of their files
   * @param entries the number of versions and of pages of large objects in each, oldest first
   * @param bytes what they take on the disk
   * @param mergedBytes what a merge of files that goes on has written so far
   * @param mergingBytes what it will write at most; 0 if none goes on
   * @param failures how many have failed since the last one that was made; of several partitions
   *     the most
   * @param problems what was wrong with them when the store was opened, and was passed over without
   *     a loss
   */
  public record Checkpoints(
      int runs,
      List<Long> entries,
      long bytes,
      long mergedBytes,
      long mergingBytes,
      int failures,
      List<String> problems) {
    /** Copies. */
    public Checkpoints {
      entries = List.copyOf(entries);
      problems = List.copyOf(problems);
    }
  }

  /**
   * What is in memory.
   *
   * @param objects the number of objects: those changed since the oldest checkpoint that is needed,
   *     and those cached
   * @param misses how many reads had to materialise
   * @param cache the levels of the cache, the first one first
   */
  public record Memory(int objects, long misses, List<CacheLevel> cache) {
    /** Copies. */
    public Memory {
      cache = List.copyOf(cache);
    }
  }

  /**
   * One level of the cache; counts are sampled.
   *
   * @param objects the number of objects in it
   * @param bytes what their versions take, about
   * @param hits the reads that it answered
   * @param evictions the objects that it let go of
   */
  public record CacheLevel(long objects, long bytes, long hits, long evictions) {}

  /**
   * Figures of hooks, counted since the store was opened.
   *
   * @param refused the update calls that pre-commit hooks have refused
   * @param timeouts the update calls that they took too long for
   * @param failed the notifications that post-commit hooks have failed for
   * @param interrupted the notifications that they took too long for
   * @param dropped the notifications that found the queue full
   */
  public record Hooks(long refused, long timeouts, long failed, long interrupted, long dropped) {}
}
