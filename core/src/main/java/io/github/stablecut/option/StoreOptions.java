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
 * How a store is opened. Immutable; each method returns changed options.
 *
 * @param durability when commits are made durable
 * @param maxTransactionAge after this time an open transaction is ended, 1 ms to 1 day
 * @param limits the largest sizes
 * @param index how the effects on an object are found
 * @param cache which versions stay in memory; default {@link CacheOptions#defaults}
 * @param checkpoints when checkpoints are made, and how long the past is kept
 * @param clock the machine's wall clock, before 2159
 * @param maxClockJump if the wall clock jumps forward by more than this, at least 1 s and by
 *     default 10 s, it is followed only once it has stayed there for a minute: what a clock that is
 *     wrong for a moment has told can't be taken back
 * @param partitions how many partitions a new store gets, each with its own journal: more than one
 *     only pays if they lie on several disks; 0, the default, is 1 for a new store and what it has
 *     for an old one
 * @param timeouts how long is waited for what
 * @param executor where stages complete and asynchronous reads run. A stage whose completion it
 *     refuses completes on a thread of the store, called {@code completion-…}, and so does one that
 *     it runs on the calling thread. Up to 64 such stages, or calls of an executor that blocks, may
 *     wait for something at a time, each delaying the next by some 20 ms; further stages complete
 *     when one of them goes on. Commits wait for none of them. An asynchronous read that it refuses
 *     throws what it throws
 * @param hooks what runs before and after commits; default nothing
 * @param replication how the store is a data centre among others; without, it exchanges nothing,
 *     even if it is one. Not together with {@link Durability.Periodic}
 * @param objectTypes the types whose operations a node of a cluster executes for others, and a
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
   * The largest sizes, in bytes, and numbers.
   *
   * @param valueBytes the most that one operation may put into the journal; default 16 MiB
   * @param transactionBytes the most that one transaction may; default 64 MiB
   * @param segmentBytes a journal file above this is followed by a new one; default 128 MiB
   * @param effectBytes what that takes of the heap, in all partitions together, which is kept in
   *     memory of what was written last; what was written before is read from the journal. Default
   *     64 MiB, or a sixteenth of the heap if that is less
   * @param reserveBytes with less free on the disk commits are refused; default 192 MiB
   * @param nestingDepth how many transactions may be open in each other inside of one; default 16
   * @param openWatches how many watches may be open; each costs a look at every commit; default 100
   * @param sessions how many sessions the store remembers until they expire; each partition has an
   *     equal part, and counts the sessions whose requests it has committed. At most as many as an
   *     eighth of the heap has room for, and so many if this is 0, the default
   * @param sessionsPerClient how many of them a server may have issued to clients at one address;
   *     the default, 0, is a quarter of all
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
            "limits out of range: value %,d, transaction %,d (at most 256 MiB, at least value), segment %,d (1 MiB to 1 GiB), effects %,d, reserve %,d, nesting %,d (at most 1,000), watches %,d (at most 100,000), sessions %,d and %,d per client"
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

    /** The default sizes. */
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

    /** These limits with another for one operation. */
    public Limits withValueBytes(int bytes) {
      return with(draft -> draft.valueBytes = bytes);
    }

    /** These limits with another for one transaction. */
    public Limits withTransactionBytes(int bytes) {
      return with(draft -> draft.transactionBytes = bytes);
    }

    /** These limits with another size of journal files. */
    public Limits withSegmentBytes(int bytes) {
      return with(draft -> draft.segmentBytes = bytes);
    }

    /** These limits with another for effects in memory. */
    public Limits withEffectBytes(long bytes) {
      return with(draft -> draft.effectBytes = bytes);
    }

    /** These limits with another reserve on the disk. */
    public Limits withReserveBytes(long bytes) {
      return with(draft -> draft.reserveBytes = bytes);
    }

    /** These limits with another for nested transactions; 0 allows none. */
    public Limits withNestingDepth(int depth) {
      return with(draft -> draft.nestingDepth = depth);
    }

    /** These limits with another for watches; 0 allows none. */
    public Limits withOpenWatches(int watches) {
      return with(draft -> draft.openWatches = watches);
    }

    /**
     * These limits with another for remembered sessions; 0 for as many as the heap has room for.
     */
    public Limits withSessions(int remembered) {
      return with(draft -> draft.sessions = remembered);
    }

    /** These limits with another for the sessions of clients at one address; 0 for a quarter. */
    public Limits withSessionsPerClient(int remembered) {
      return with(draft -> draft.sessionsPerClient = remembered);
    }

    private Limits with(Consumer<LimitsDraft> change) {
      LimitsDraft draft = new LimitsDraft(this);
      change.accept(draft);
      return draft.finish();
    }

    /** Limits that are changed before they are checked and immutable. */
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
          "a store has 1 to %,d partitions, not %,d".formatted(MAX_PARTITIONS, partitions));
    }
    if (replication.isPresent() && durability instanceof Durability.Periodic) {
      throw new IllegalArgumentException(
          "a data centre is durable by batch or group: others must not have what a power cut takes"
              + " back here");
    }
    if (maxClockJump.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException(
          "maxClockJump is at least 1 s, not " + DurationWords.of(maxClockJump));
    }
    if (maxTransactionAge.compareTo(Duration.ofMillis(1)) < 0
        || maxTransactionAge.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(
          "maxTransactionAge is 1 ms to 1 day, not " + DurationWords.of(maxTransactionAge));
    }
  }

  /** The options that {@link Stablecut#open(java.nio.file.Path)} uses. */
  public static StoreOptions defaults() {
    return DEFAULTS;
  }

  /**
   * For tools that open the store of another program, whose options they do not know: nothing of
   * the past is dropped, as how long it is kept is up to that program, and checkpoints are made by
   * call only.
   */
  public static StoreOptions forTools() {
    return DEFAULTS.withCheckpoints(CheckpointPolicy.byCall().withEndlessRetention());
  }

  /** These options with another durability. */
  public StoreOptions withDurability(Durability newDurability) {
    return with(draft -> draft.durability = newDurability);
  }

  /** These options with another longest age of transactions. */
  public StoreOptions withMaxTransactionAge(Duration age) {
    return with(draft -> draft.maxTransactionAge = age);
  }

  /** These options with other limits. */
  public StoreOptions withLimits(Limits newLimits) {
    return with(draft -> draft.limits = newLimits);
  }

  /** These options with another index. */
  public StoreOptions withIndex(IndexOptions newIndex) {
    return with(draft -> draft.index = newIndex);
  }

  /** These options with another cache. */
  public StoreOptions withCache(CacheOptions newCache) {
    return with(draft -> draft.cache = newCache);
  }

  /** These options with another policy of checkpoints. */
  public StoreOptions withCheckpoints(CheckpointPolicy policy) {
    return with(draft -> draft.checkpoints = policy);
  }

  /** These options with another machine clock. */
  public StoreOptions withClock(InstantSource newClock) {
    return with(draft -> draft.clock = newClock);
  }

  /** These options with another limit for jumps of the machine clock. */
  public StoreOptions withMaxClockJump(Duration jump) {
    return with(draft -> draft.maxClockJump = jump);
  }

  /** These options with another executor. */
  public StoreOptions withExecutor(Executor newExecutor) {
    return with(draft -> draft.executor = newExecutor);
  }

  /** These options with other hooks. */
  public StoreOptions withHooks(Hooks newHooks) {
    return with(draft -> draft.hooks = newHooks);
  }

  /** These options with another number of partitions. */
  public StoreOptions withPartitions(int number) {
    return with(draft -> draft.partitions = number);
  }

  /** These options with other timeouts. */
  public StoreOptions withTimeouts(Timeouts newTimeouts) {
    return with(draft -> draft.timeouts = newTimeouts);
  }

  /** These options for a store that is a data centre among others. */
  public StoreOptions withReplication(Replication newReplication) {
    return with(draft -> draft.replication = Optional.of(newReplication));
  }

  /** These options for a node or server that executes operations of some types of objects. */
  public StoreOptions withObjectTypes(ObjectTypes types) {
    return with(draft -> draft.objectTypes = types);
  }

  private StoreOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.finish();
  }

  /** Options that are changed before they are checked and immutable. */
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
