package io.github.stablecut;

import io.github.stablecut.causality.Timestamp;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/**
 * How a store is opened. Immutable; each method returns changed options.
 *
 * @param durability when commits are made durable
 * @param maxTransactionAge after this time an open transaction is ended, 1 ms to 1 day
 * @param limits the largest sizes
 * @param index how the effects on an object are found
 * @param cache which versions stay in memory; default 256 MiB
 * @param checkpoints when checkpoints are made, and how long the past is kept
 * @param clock the machine's clock
 * @param partitions how many partitions a new store gets, each with its own journal: more than one
 *     only pays if they lie on several disks; 0, the default, is 1 for a new store and what it has
 *     for an old one
 * @param timeouts how long is waited for what
 * @param executor where stages complete and asynchronous reads run
 * @param hooks what runs before and after commits; default nothing
 */
public record StoreOptions(
    Durability durability,
    Duration maxTransactionAge,
    Limits limits,
    IndexOptions index,
    CacheOptions cache,
    CheckpointPolicy checkpoints,
    InstantSource clock,
    int partitions,
    Timeouts timeouts,
    Executor executor,
    Hooks hooks) {
  private static final int MAX_PARTITIONS = Timestamp.MAX_PARTITIONS;

  private static final StoreOptions DEFAULTS =
      new StoreOptions(
          Durability.batch(),
          Duration.ofSeconds(60),
          Limits.defaults(),
          IndexOptions.defaults(),
          CacheOptions.bytes(256L << 20),
          CheckpointPolicy.defaults(),
          InstantSource.system(),
          0,
          Timeouts.defaults(),
          ForkJoinPool.commonPool(),
          Hooks.none());

  /**
   * The largest sizes, in bytes, and numbers.
   *
   * @param valueBytes the most that one operation may put into the journal; default 16 MiB
   * @param transactionBytes the most that one transaction may; default 64 MiB
   * @param segmentBytes a journal file above this is followed by a new one; default 128 MiB
   * @param effectBytes how much is kept in memory of what was written but not read yet; default 64
   *     MiB
   * @param reserveBytes with less free on the disk commits are refused; default 192 MiB
   * @param nestingDepth how many transactions may be open in each other inside of one; default 16
   * @param openWatches how many watches may be open; each costs a look at every commit; default 100
   */
  public record Limits(
      int valueBytes,
      int transactionBytes,
      int segmentBytes,
      long effectBytes,
      long reserveBytes,
      int nestingDepth,
      int openWatches) {
    private static final int MEBIBYTE = 1 << 20;
    private static final int MAX_NESTING_DEPTH = 1_000;
    private static final int MAX_WATCHES = 100_000;

    /** Checks the ranges. */
    public Limits {
      if (valueBytes < 1
          || transactionBytes < valueBytes
          || transactionBytes > 256 * MEBIBYTE
          || segmentBytes < MEBIBYTE
          || segmentBytes > 1024 * MEBIBYTE
          || effectBytes < 0
          || reserveBytes < 0
          || nestingDepth < 0
          || nestingDepth > MAX_NESTING_DEPTH
          || openWatches < 0
          || openWatches > MAX_WATCHES) {
        throw new IllegalArgumentException(
            "limits out of range: value %,d, transaction %,d (at most 256 MiB, at least value), segment %,d (1 MiB to 1 GiB), effects %,d, reserve %,d, nesting %,d (at most 1,000), watches %,d (at most 100,000)"
                .formatted(
                    valueBytes,
                    transactionBytes,
                    segmentBytes,
                    effectBytes,
                    reserveBytes,
                    nestingDepth,
                    openWatches));
      }
    }

    /** The default sizes. */
    public static Limits defaults() {
      return new Limits(
          16 * MEBIBYTE, 64 * MEBIBYTE, 128 * MEBIBYTE, 64L * MEBIBYTE, 192L * MEBIBYTE, 16, 100);
    }

    /** These limits with another for one operation. */
    public Limits withValueBytes(int bytes) {
      return new Limits(
          bytes,
          transactionBytes,
          segmentBytes,
          effectBytes,
          reserveBytes,
          nestingDepth,
          openWatches);
    }

    /** These limits with another for one transaction. */
    public Limits withTransactionBytes(int bytes) {
      return new Limits(
          valueBytes, bytes, segmentBytes, effectBytes, reserveBytes, nestingDepth, openWatches);
    }

    /** These limits with another size of journal files. */
    public Limits withSegmentBytes(int bytes) {
      return new Limits(
          valueBytes,
          transactionBytes,
          bytes,
          effectBytes,
          reserveBytes,
          nestingDepth,
          openWatches);
    }

    /** These limits with another for effects in memory. */
    public Limits withEffectBytes(long bytes) {
      return new Limits(
          valueBytes,
          transactionBytes,
          segmentBytes,
          bytes,
          reserveBytes,
          nestingDepth,
          openWatches);
    }

    /** These limits with another reserve on the disk. */
    public Limits withReserveBytes(long bytes) {
      return new Limits(
          valueBytes,
          transactionBytes,
          segmentBytes,
          effectBytes,
          bytes,
          nestingDepth,
          openWatches);
    }

    /** These limits with another for nested transactions; 0 allows none. */
    public Limits withNestingDepth(int depth) {
      return new Limits(
          valueBytes,
          transactionBytes,
          segmentBytes,
          effectBytes,
          reserveBytes,
          depth,
          openWatches);
    }

    /** These limits with another for watches; 0 allows none. */
    public Limits withOpenWatches(int watches) {
      return new Limits(
          valueBytes,
          transactionBytes,
          segmentBytes,
          effectBytes,
          reserveBytes,
          nestingDepth,
          watches);
    }
  }

  /** Checks the ranges. */
  public StoreOptions {
    Objects.requireNonNull(durability, "durability");
    Objects.requireNonNull(limits, "limits");
    Objects.requireNonNull(index, "index");
    Objects.requireNonNull(cache, "cache");
    Objects.requireNonNull(checkpoints, "checkpoints");
    Objects.requireNonNull(clock, "clock");
    Objects.requireNonNull(timeouts, "timeouts");
    Objects.requireNonNull(executor, "executor");
    Objects.requireNonNull(hooks, "hooks");
    if (partitions < 0 || partitions > MAX_PARTITIONS) {
      throw new IllegalArgumentException(
          "a store has 1 to %,d partitions, not %,d".formatted(MAX_PARTITIONS, partitions));
    }
    if (maxTransactionAge.compareTo(Duration.ofMillis(1)) < 0
        || maxTransactionAge.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(
          "maxTransactionAge is 1 ms to 1 day, not " + maxTransactionAge);
    }
  }

  /** The options that {@link Stablecut#open(java.nio.file.Path)} uses. */
  public static StoreOptions defaults() {
    return DEFAULTS;
  }

  /** These options with another durability. */
  public StoreOptions withDurability(Durability newDurability) {
    return new StoreOptions(
        newDurability,
        maxTransactionAge,
        limits,
        index,
        cache,
        checkpoints,
        clock,
        partitions,
        timeouts,
        executor,
        hooks);
  }

  /** These options with another longest age of transactions. */
  public StoreOptions withMaxTransactionAge(Duration age) {
    return new StoreOptions(
        durability,
        age,
        limits,
        index,
        cache,
        checkpoints,
        clock,
        partitions,
        timeouts,
        executor,
        hooks);
  }

  /** These options with other limits. */
  public StoreOptions withLimits(Limits newLimits) {
    return new StoreOptions(
        durability,
        maxTransactionAge,
        newLimits,
        index,
        cache,
        checkpoints,
        clock,
        partitions,
        timeouts,
        executor,
        hooks);
  }

  /** These options with another index. */
  public StoreOptions withIndex(IndexOptions newIndex) {
    return new StoreOptions(
        durability,
        maxTransactionAge,
        limits,
        newIndex,
        cache,
        checkpoints,
        clock,
        partitions,
        timeouts,
        executor,
        hooks);
  }

  /** These options with another cache. */
  public StoreOptions withCache(CacheOptions newCache) {
    return new StoreOptions(
        durability,
        maxTransactionAge,
        limits,
        index,
        newCache,
        checkpoints,
        clock,
        partitions,
        timeouts,
        executor,
        hooks);
  }

  /** These options with another policy of checkpoints. */
  public StoreOptions withCheckpoints(CheckpointPolicy policy) {
    return new StoreOptions(
        durability,
        maxTransactionAge,
        limits,
        index,
        cache,
        policy,
        clock,
        partitions,
        timeouts,
        executor,
        hooks);
  }

  /** These options with another machine clock. */
  public StoreOptions withClock(InstantSource newClock) {
    return new StoreOptions(
        durability,
        maxTransactionAge,
        limits,
        index,
        cache,
        checkpoints,
        newClock,
        partitions,
        timeouts,
        executor,
        hooks);
  }

  /** These options with another executor. */
  public StoreOptions withExecutor(Executor newExecutor) {
    return new StoreOptions(
        durability,
        maxTransactionAge,
        limits,
        index,
        cache,
        checkpoints,
        clock,
        partitions,
        timeouts,
        newExecutor,
        hooks);
  }

  /** These options with other hooks. */
  public StoreOptions withHooks(Hooks newHooks) {
    return new StoreOptions(
        durability,
        maxTransactionAge,
        limits,
        index,
        cache,
        checkpoints,
        clock,
        partitions,
        timeouts,
        executor,
        newHooks);
  }

  /** These options with another number of partitions. */
  public StoreOptions withPartitions(int number) {
    return new StoreOptions(
        durability,
        maxTransactionAge,
        limits,
        index,
        cache,
        checkpoints,
        clock,
        number,
        timeouts,
        executor,
        hooks);
  }

  /** These options with other timeouts. */
  public StoreOptions withTimeouts(Timeouts newTimeouts) {
    return new StoreOptions(
        durability,
        maxTransactionAge,
        limits,
        index,
        cache,
        checkpoints,
        clock,
        partitions,
        newTimeouts,
        executor,
        hooks);
  }
}
