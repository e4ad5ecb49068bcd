package io.github.stablecut;

import java.time.Duration;
import java.util.List;

/**
 * Statistics and health of a store at one moment. Immutable.
 *
 * @param storeId the store's id; in a group of data centres, the id of the group's first store
 * @param epoch how many times the store was opened, including this one
 * @param partitions the number of partitions; with several, times are maxima and figures are sums
 * @param openTransactions the number of open transactions and pins
 * @param times the times that bound reads and truncation
 * @param journal figures of the journal
 * @param checkpoints figures of the checkpoints
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
  /** The maximum number of entries in {@link Activity#oldest}. */
  public static final int OLDEST = 20;

  /**
   * Failures and warnings as text. A store without any is healthy.
   *
   * @param failures permanent failures, until the store is opened again, such as a failed write to
   *     the journal: commits are refused, reads continue
   * @param warnings transient or past problems: a failed checkpoint that will be retried; throttled
   *     writers; a thread that survived an error since the store was opened; or a journal whose end
   *     may have lost acknowledged data before the opening
   */
  public record Health(List<String> failures, List<String> warnings) {
    /** Copies the lists. */
    public Health {
      failures = List.copyOf(failures);
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * Activity of transactions.
   *
   * @param commits the latencies of this store's commits that changed something, until they were
   *     durable
   * @param oldest the {@link #OLDEST} oldest open transactions, pins and scans in this process,
   *     oldest first
   * @param inDoubt transactions of several partitions whose outcome a partition in this process
   *     does not know yet. They are normal for a moment; those that remain wait for an unreachable
   *     partition
   */
  public record Activity(Latencies commits, List<OpenSnapshot> oldest, List<String> inDoubt) {
    /** Copies the lists. */
    public Activity {
      oldest = List.copyOf(oldest);
      inDoubt = List.copyOf(inDoubt);
    }
  }

  /**
   * A snapshot that is retained for a reader.
   *
   * @param age the time since it was opened
   * @param isLimited whether it is released once it is too old, as for transactions, or only when
   *     it is closed, as for pins and scans
   * @param snapshot the point
   * @param thread the name of the thread that opened it
   */
  public record OpenSnapshot(
      Duration age, boolean isLimited, CausalToken snapshot, String thread) {}

  /**
   * The times that bound reads and truncation. In every state: low watermark ≤ checkpoint time ≤
   * causal safe point ≤ max committed, and low watermark ≤ min dependency.
   *
   * @param lowWatermark the oldest readable point
   * @param checkpointTime the point of the newest checkpoint
   * @param causalSafePoint the newest durable commit that has no gaps before it
   * @param minDependency the oldest point that an open transaction or a pin reads
   * @param maxCommitted the newest commit, durable or in flight
   * @param stable the newest readable point: the causal safe point, or a later time
   */
  public record Times(
      CausalToken lowWatermark,
      CausalToken checkpointTime,
      CausalToken causalSafePoint,
      CausalToken minDependency,
      CausalToken maxCommitted,
      CausalToken stable) {}

  /**
   * Figures of the journal; counts start when the store is opened.
   *
   * @param firstSegment the number of its oldest file, numbered from 1: all lower ones were
   *     truncated
   * @param segments the number of its files
   * @param allocatedBytes the disk space of its files
   * @param records the number of records written
   * @param syncs the number of syncs
   * @param largestGroup the most records that one sync made durable
   * @param problems why partitions in this process currently accept no commits, such as a full
   *     disk; empty if all accept them
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
   * @param entries the number of versions and of pages of large objects in each file, oldest first
   * @param bytes their disk space
   * @param mergedBytes the bytes that the current merge of files has written so far
   * @param mergingBytes the most bytes that the current merge will write; 0 without a merge
   * @param failures the number of failed checkpoints since the last successful one; with several
   *     partitions, their maximum
   * @param problems problems with the files when the store was opened, which were skipped without
   *     losing data
   */
  public record Checkpoints(
      int runs,
      List<Long> entries,
      long bytes,
      long mergedBytes,
      long mergingBytes,
      int failures,
      List<String> problems) {
    /** Copies the lists. */
    public Checkpoints {
      entries = List.copyOf(entries);
      problems = List.copyOf(problems);
    }
  }

  /**
   * Memory use.
   *
   * @param objects the number of objects in memory: those changed since the oldest checkpoint that
   *     is still needed, and those cached
   * @param misses the number of reads that had to materialize
   * @param cache the levels of the cache, in order
   */
  public record Memory(int objects, long misses, List<CacheLevel> cache) {
    /** Copies the lists. */
    public Memory {
      cache = List.copyOf(cache);
    }
  }

  /**
   * One level of the cache; counts are sampled.
   *
   * @param objects the number of objects in it
   * @param bytes the approximate size of their versions
   * @param hits the number of reads that it answered
   * @param evictions the number of evicted objects
   */
  public record CacheLevel(long objects, long bytes, long hits, long evictions) {}

  /**
   * Figures of hooks, counted since the store was opened.
   *
   * @param refused the number of update calls that pre-commit hooks refused
   * @param timeouts the number of update calls whose pre-commit hooks timed out
   * @param failed the number of notifications whose post-commit hooks failed
   * @param interrupted the number of notifications whose post-commit hooks timed out
   * @param dropped the number of notifications dropped because the queue was full
   */
  public record Hooks(long refused, long timeouts, long failed, long interrupted, long dropped) {}
}
