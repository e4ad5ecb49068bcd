package io.github.stablecut.option;

import io.github.stablecut.Hooks;
import io.github.stablecut.Stablecut;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.object.ObjectTypes;
import io.github.stablecut.replication.Replication;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;

/**
 * The options with which a store is opened. Immutable; each method returns changed options.
 *
 * @param durability when commits are made durable
 * @param maxTransactionAge the age at which open transactions are aborted; 1 ms to 1 day
 * @param limits limits of sizes and counts
 * @param index how the store finds the effects on an object
 * @param cache which versions stay in memory; default {@link CacheOptions#defaults}
 * @param checkpoints when checkpoints are made, and how long the past is retained
 * @param clock the machine's wall clock, before 2159
 * @param maxClockJump the longest forward jump of the wall clock that the store follows
 *     immediately; at least 1 s, default 10 s. It follows a longer one only after the clock has
 *     stayed there for a minute, because timestamps issued by a temporarily wrong clock cannot be
 *     withdrawn
 * @param partitions the number of partitions of a new store, each with its own journal; several pay
 *     off only on several disks. The default, 0, means 1 for a new store and the existing number
 *     for an old one
 * @param timeouts timeouts of commits, reads and sessions
 * @param executor runs completions of stages and asynchronous reads. If it rejects a stage's
 *     completion, or runs it on the calling thread, the stage completes on a thread of the store,
 *     called {@code completion-…}. Up to 64 such stages, or calls of an executor that blocks, may
 *     wait at a time, each delaying the next by about 20 ms; further stages complete when one of
 *     these resumes. Commits wait for none of them. Asynchronous reads and transactions that the
 *     executor rejects also run on threads of the store
 * @param hooks code that runs before and after commits; default none
 * @param replication makes the store a data centre among others; without it, the store exchanges
 *     nothing, even if it belongs to a group. Not together with {@link Durability.Periodic}
 * @param objectTypes the types whose operations a node of a cluster executes for other nodes, and a
 *     server for its clients; default none
 */
public record StoreOptions(
    Durability durability,
    Duration maxTransactionAge,
    Limits limits,
    IndexOptions index,
    CacheOptions cache,
    CheckpointPolicy checkpoints,
    InstantSource clock,
    Duration maxClockJump,
    int partitions,
    Timeouts timeouts,
    Executor executor,
    Hooks hooks,
    Optional<Replication> replication,
    ObjectTypes objectTypes) {
  private static final int MAX_PARTITIONS = Timestamp.MAX_PARTITIONS;

  private static final StoreOptions DEFAULTS =
      new StoreOptions(
          Durability.batch(),
          Duration.ofSeconds(60),
          Limits.defaults(),
          IndexOptions.defaults(),
          CacheOptions.defaults(),
          CheckpointPolicy.defaults(),
          InstantSource.system(),
          Duration.ofSeconds(10),
          0,
          Timeouts.defaults(),
          ForkJoinPool.commonPool(),
          Hooks.none(),
          Optional.empty(),
          ObjectTypes.none());

  /**
   * Limits of sizes, in bytes, and of counts.
   *
   * @param valueBytes the most bytes that one operation may write to the journal; default 16 MiB
   * @param transactionBytes the most bytes that one transaction may write to the journal; default
   *     64 MiB
   * @param segmentBytes the size above which a new journal file is started; default 128 MiB
   * @param effectBytes the heap, in all partitions together, for the most recent effects; older
   *     ones are read from the journal. Default 64 MiB, or a sixteenth of the heap if that is less
   * @param reserveBytes the free space on the disk below which commits are refused; default 192 MiB
   * @param nestingDepth the number of open transactions nested in one; default 16
   * @param openWatches the number of open watches; each is checked at every commit; default 100
   * @param sessions the number of sessions that the store retains until they expire. Each partition
   *     has an equal share, and counts the sessions whose requests it has committed. At most as
   *     many as fit in an eighth of the heap; exactly this maximum if 0, the default
   * @param sessionsPerClient the number of sessions that a server may have issued to clients at one
   *     address; the default, 0, is a quarter of all sessions
   */
  public record Limits(
      int valueBytes,
      int transactionBytes,
      int segmentBytes,
      long effectBytes,
      long reserveBytes,
      int nestingDepth,
      int openWatches,
      int sessions,
      int sessionsPerClient) {
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
          || openWatches > MAX_WATCHES
          || sessions < 0
          || sessionsPerClient < 0) {
        throw new IllegalArgumentException(
            "limits out of range: value %,d, transaction %,d (at most 256 MiB, at least value), segment %,d (1 MiB to 1 GiB), effects %,d, reserve %,d; nesting %,d (at most 1,000), watches %,d (at most 100,000), sessions %,d and %,d per client"
                .formatted(
                    valueBytes,
                    transactionBytes,
                    segmentBytes,
                    effectBytes,
                    reserveBytes,
                    nestingDepth,
                    openWatches,
                    sessions,
                    sessionsPerClient));
      }
    }

    /** The default limits. */
    public static Limits defaults() {
      return new Limits(
          16 * MEBIBYTE,
          64 * MEBIBYTE,
          128 * MEBIBYTE,
          Math.min(64L * MEBIBYTE, Runtime.getRuntime().maxMemory() / 16),
          192L * MEBIBYTE,
          16,
          100,
          0,
          0);
    }

    /** Sets the limit of one operation. */
    public Limits withValueBytes(int bytes) {
      return with(draft -> draft.valueBytes = bytes);
    }

    /** Sets the limit of one transaction. */
    public Limits withTransactionBytes(int bytes) {
      return with(draft -> draft.transactionBytes = bytes);
    }

    /** Sets the size of journal files. */
    public Limits withSegmentBytes(int bytes) {
      return with(draft -> draft.segmentBytes = bytes);
    }

    /** Sets the limit of effects in memory. */
    public Limits withEffectBytes(long bytes) {
      return with(draft -> draft.effectBytes = bytes);
    }

    /** Sets the reserve on the disk. */
    public Limits withReserveBytes(long bytes) {
      return with(draft -> draft.reserveBytes = bytes);
    }

    /** Sets the limit of nested transactions; 0 allows none. */
    public Limits withNestingDepth(int depth) {
      return with(draft -> draft.nestingDepth = depth);
    }

    /** Sets the limit of open watches; 0 allows none. */
    public Limits withOpenWatches(int watches) {
      return with(draft -> draft.openWatches = watches);
    }

    /** Sets the limit of retained sessions; 0 for as many as fit in an eighth of the heap. */
    public Limits withSessions(int number) {
      return with(draft -> draft.sessions = number);
    }

    /** Sets the limit of sessions for clients at one address; 0 for a quarter of all sessions. */
    public Limits withSessionsPerClient(int number) {
      return with(draft -> draft.sessionsPerClient = number);
    }

    private Limits with(Consumer<LimitsDraft> change) {
      LimitsDraft draft = new LimitsDraft(this);
      change.accept(draft);
      return draft.finish();
    }

    /** A mutable, unchecked draft of limits. */
    private static final class LimitsDraft {
      private int valueBytes;
      private int transactionBytes;
      private int segmentBytes;
      private long effectBytes;
      private long reserveBytes;
      private int nestingDepth;
      private int openWatches;
      private int sessions;
      private int sessionsPerClient;

      LimitsDraft(Limits from) {
        this.valueBytes = from.valueBytes;
        this.transactionBytes = from.transactionBytes;
        this.segmentBytes = from.segmentBytes;
        this.effectBytes = from.effectBytes;
        this.reserveBytes = from.reserveBytes;
        this.nestingDepth = from.nestingDepth;
        this.openWatches = from.openWatches;
        this.sessions = from.sessions;
        this.sessionsPerClient = from.sessionsPerClient;
      }

      Limits finish() {
        return new Limits(
            valueBytes,
            transactionBytes,
            segmentBytes,
            effectBytes,
            reserveBytes,
            nestingDepth,
            openWatches,
            sessions,
            sessionsPerClient);
      }
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
    Objects.requireNonNull(replication, "replication");
    Objects.requireNonNull(objectTypes, "objectTypes");
    if (partitions < 0 || partitions > MAX_PARTITIONS) {
      throw new IllegalArgumentException(
          "partitions must be 1 to %,d, or 0 for the default, not %,d"
              .formatted(MAX_PARTITIONS, partitions));
    }
    if (replication.isPresent() && durability instanceof Durability.Periodic) {
      throw new IllegalArgumentException(
          "replication requires batch or group durability: with periodic durability, a power cut"
              + " could lose commits that other data centres have already received");
    }
    if (maxClockJump.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException(
          "maxClockJump must be at least 1 s, not " + DurationWords.of(maxClockJump));
    }
    if (maxTransactionAge.compareTo(Duration.ofMillis(1)) < 0
        || maxTransactionAge.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(
          "maxTransactionAge must be 1 ms to 1 day, not " + DurationWords.of(maxTransactionAge));
    }
  }

  /** The options that {@link Stablecut#open(java.nio.file.Path)} uses. */
  public static StoreOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Options for tools that open the store of another program without knowing its options. The store
   * discards nothing, because the retention is up to that program, and makes checkpoints only on
   * request.
   */
  public static StoreOptions forTools() {
    return DEFAULTS.withCheckpoints(CheckpointPolicy.byCall().withEndlessRetention());
  }

  /** Sets the durability. */
  public StoreOptions withDurability(Durability newDurability) {
    return with(draft -> draft.durability = newDurability);
  }

  /** Sets the maximum age of transactions. */
  public StoreOptions withMaxTransactionAge(Duration age) {
    return with(draft -> draft.maxTransactionAge = age);
  }

  /** Sets the limits. */
  public StoreOptions withLimits(Limits newLimits) {
    return with(draft -> draft.limits = newLimits);
  }

  /** Sets the index options. */
  public StoreOptions withIndex(IndexOptions newIndex) {
    return with(draft -> draft.index = newIndex);
  }

  /** Sets the cache options. */
  public StoreOptions withCache(CacheOptions newCache) {
    return with(draft -> draft.cache = newCache);
  }

  /** Sets the checkpoint policy. */
  public StoreOptions withCheckpoints(CheckpointPolicy policy) {
    return with(draft -> draft.checkpoints = policy);
  }

  /** Sets the wall clock. */
  public StoreOptions withClock(InstantSource newClock) {
    return with(draft -> draft.clock = newClock);
  }

  /** Sets the longest jump of the wall clock that is followed immediately. */
  public StoreOptions withMaxClockJump(Duration jump) {
    return with(draft -> draft.maxClockJump = jump);
  }

  /** Sets the executor. */
  public StoreOptions withExecutor(Executor newExecutor) {
    return with(draft -> draft.executor = newExecutor);
  }

  /** Sets the hooks. */
  public StoreOptions withHooks(Hooks newHooks) {
    return with(draft -> draft.hooks = newHooks);
  }

  /** Sets the number of partitions. */
  public StoreOptions withPartitions(int number) {
    return with(draft -> draft.partitions = number);
  }

  /** Sets the timeouts. */
  public StoreOptions withTimeouts(Timeouts newTimeouts) {
    return with(draft -> draft.timeouts = newTimeouts);
  }

  /** Makes the store a data centre among others. */
  public StoreOptions withReplication(Replication newReplication) {
    return with(draft -> draft.replication = Optional.of(newReplication));
  }

  /** Sets the types whose operations this node or server executes for others. */
  public StoreOptions withObjectTypes(ObjectTypes types) {
    return with(draft -> draft.objectTypes = types);
  }

  private StoreOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.finish();
  }

  /** A mutable, unchecked draft of options. */
  private static final class Draft {
    private Durability durability;
    private Duration maxTransactionAge;
    private Limits limits;
    private IndexOptions index;
    private CacheOptions cache;
    private CheckpointPolicy checkpoints;
    private InstantSource clock;
    private Duration maxClockJump;
    private int partitions;
    private Timeouts timeouts;
    private Executor executor;
    private Hooks hooks;
    private Optional<Replication> replication;
    private ObjectTypes objectTypes;

    Draft(StoreOptions from) {
      this.durability = from.durability;
      this.maxTransactionAge = from.maxTransactionAge;
      this.limits = from.limits;
      this.index = from.index;
      this.cache = from.cache;
      this.checkpoints = from.checkpoints;
      this.clock = from.clock;
      this.maxClockJump = from.maxClockJump;
      this.partitions = from.partitions;
      this.timeouts = from.timeouts;
      this.executor = from.executor;
      this.hooks = from.hooks;
      this.replication = from.replication;
      this.objectTypes = from.objectTypes;
    }

    StoreOptions finish() {
      return new StoreOptions(
          durability,
          maxTransactionAge,
          limits,
          index,
          cache,
          checkpoints,
          clock,
          maxClockJump,
          partitions,
          timeouts,
          executor,
          hooks,
          replication,
          objectTypes);
    }
  }
}
