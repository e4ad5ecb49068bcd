package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.clock.PartitionClock;
import io.github.stablecut.journal.Journal;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * The times of a partition: what was handed out, what is durable, and the <em>stable vector</em>,
 * at or below which everything is known, decided and durable, and stays as it is. Thread-safe; what
 * is called under the commit lock says so.
 *
 * <p>Invariant: the stable vector passes no commit before its record is durable, and no prepared
 * transaction before its outcome does.
 */
final class StableTime {
  /**
   * A stable vector older than this is moved on before it is used, so that time passes without
   * commits too.
   */
  private static final Duration STABLE_AGE = Duration.ofSeconds(1);

  private final LocalDataCentre local;
  private final PartitionClock clock;

  /**
   * The greatest commit time handed out or learned; not durable while it is on its way. Guarded by
   * the commit lock.
   */
  private long lastCommitTime;

  /** Guarded by the commit lock. */
  private Optional<ClockRequest> ceilingOnItsWay = Optional.empty();

  /**
   * Where the next clock begins, as far as ceilings say, which the journal and the checkpoints have
   * or the journal was given. Guarded by the commit lock.
   */
  private long nextBeginning;

  /** Whether the journal says what was told last. Guarded by the commit lock. */
  private boolean isEnded;

  /** The first ceiling after such an end, which holds until this is durable. Likewise. */
  private Optional<ClockRequest> afterEnd = Optional.empty();

  /** The prepare times of transactions whose outcome is not durable here. */
  private final ConcurrentSkipListSet<Long> prepared = new ConcurrentSkipListSet<>();

  /** Later commits of this partition are above it. */
  private volatile long promised;

  /** What a new reader sees. */
  private volatile VectorClock stable = VectorClock.ZERO;

  /**
   * The newest durable commit; all earlier commits are durable too. Entries of other data centres
   * are the times up to which all their commits are here.
   */
  private volatile VectorClock lastDurable;

  /** The last durable transaction of each other data centre; all before it are durable too. */
  private volatile VectorClock received;

  /** The vector of the newest checkpoint at the opening. */
  private final VectorClock checkpoint;

  /** The last durable commit of this data centre. */
  private volatile long lastOwn;

  /** The time at the opening: all commits since then are above it. */
  private final long opened;

  /** The last commit of this data centre at or before that. Guarded by the commit lock. */
  private long lastBeforeOpening;

  /**
   * The latest time of this data centre that a durable transaction of another one has read: it was
   * told, so everything up to it was durable and decided.
   */
  private volatile long readElsewhere;

  /** Up to where everything is here, as the journal and the checkpoints tell. */
  private volatile VectorClock recorded;

  /**
   * What the journal and the checkpoints tell.
   *
   * @param complete the times up to which all commits of each data centre are there
   * @param last the last commit of each data centre there
   * @param readElsewhere the latest time of this data centre that a transaction of another one
   *     there has read
   * @param checkpoint the vector of the newest checkpoint
   */
  record Recovered(
      VectorClock complete, VectorClock last, long readElsewhere, VectorClock checkpoint) {}

  /**
   * @param checkpointCeiling of the clock, which the checkpoints have
   */
  StableTime(
      LocalDataCentre local, PartitionClock clock, Recovered recovered, long checkpointCeiling) {
    this.local = local;
    this.clock = clock;
    this.lastOwn = local.timeIn(recovered.last);
    this.lastCommitTime = lastOwn;
    this.opened = clock.promise();
    this.lastBeforeOpening = lastOwn;
    this.nextBeginning = Math.max(clock.ceiling(), checkpointCeiling);
    this.lastDurable = recovered.complete;
    this.received = local.with(recovered.last, 0);
    this.checkpoint = recovered.checkpoint;
    this.readElsewhere = recovered.readElsewhere;
    this.recorded = recovered.complete;
  }

  /** Begins to serve: what was recovered, and is decided, is stable. */
  void begin() {
    raiseStable();
  }

  VectorClock stable() {
    return stable;
  }

  /** The newest durable commit, or a later time: what was acknowledged is at or before it. */
  VectorClock newest() {
    return lastDurable.join(stable);
  }

  /**
   * The newest durable commit, or below what is not decided. Without own commits, its own entry is
   * at or above what transactions of other data centres have read: they are at or before it once
   * the rest of what they have read is here.
   */
  VectorClock lastComplete() {
    long read = readElsewhere;
    VectorClock now = stable;
    return local.raise(complete(lastDurable), Math.min(read, local.timeIn(now)));
  }

  private VectorClock complete(VectorClock vector) {
    Long undecided = prepared.ceiling(0L);
    return undecided == null ? vector : local.lower(vector, undecided - 1);
  }

  /** A commit time for a transaction, above its snapshot. Under the commit lock. */
  long tick(VectorClock snapshot) {
    return tick(LocalDataCentre.floorOf(snapshot));
  }

  /**
   * A commit time for a transaction, above its snapshot and its prepare times. Under the commit
   * lock.
   */
  long tick(VectorClock snapshot, long prepared) {
    return tick(Math.max(LocalDataCentre.floorOf(snapshot), prepared));
  }

  private long tick(long floor) {
    lastCommitTime = clock.tick(Math.max(lastCommitTime, floor));
    return lastCommitTime;
  }

  /** A prepare time for a transaction, above its snapshot. Under the commit lock. */
  long prepare(VectorClock snapshot) {
    long time = clock.tick(Math.max(lastCommitTime, LocalDataCentre.floorOf(snapshot)));
    boolean unused = prepared.add(time);
    return time;
  }

  /** A prepare time that the journal has. */
  void recover(long prepareTime) {
    boolean unused = prepared.add(prepareTime);
  }

  /** Learns of a time of another data centre: all later times of this one are above it. */
  void observe(long time) {
    clock.observe(time);
  }

  /** Learns of a commit that was decided elsewhere. Under the commit lock. */
  void learn(long commitTime) {
    clock.observe(commitTime);
    lastCommitTime = Math.max(lastCommitTime, commitTime);
    if (commitTime <= opened) {
      lastBeforeOpening = Math.max(lastBeforeOpening, commitTime);
    }
  }

  /**
   * Whether no commit of this data centre can have a time, but for what is undecided. Under the
   * commit lock.
   */
  boolean lacksOwn(long commitTime) {
    return commitTime > lastCommitTime || (commitTime > lastBeforeOpening && commitTime <= opened);
  }

  /** A prepared transaction was aborted, or its outcome is durable. */
  void decided(long prepareTime) {
    boolean unused = prepared.remove(prepareTime);
    raiseStable();
  }

  /**
   * All commits of this partition up to one are durable. Its entries of other data centres do not
   * tell what is here. On the thread that flushes groups.
   */
  synchronized void durable(VectorClock newestCommit) {
    lastOwn = Math.max(lastOwn, local.timeIn(newestCommit));
    lastDurable = local.raise(lastDurable, local.timeIn(newestCommit));
    raiseStable();
  }

  /**
   * Transactions of other data centres are durable.
   *
   * @param newest the last one of each; 0 where there is none
   * @param read the latest time of this data centre that one of them has read
   */
  synchronized void received(VectorClock newest, long read) {
    readElsewhere = Math.max(readElsewhere, read);
    received = received.join(newest);
    recorded = recorded.join(newest);
    lastDurable = lastDurable.join(newest);
    raiseStable();
  }

  /**
   * The stream of another data centre has nothing up to a time beyond what was received.
   *
   * <p>Later times of this one are above it, as vectors with it are told.
   *
   * @param last a time at or after which there is no transaction of it up to then
   * @return whether everything before is durable here; if not, nothing has changed
   */
  synchronized boolean reached(int dataCentre, long last, long time) {
    if (lastDurable.get(dataCentre) < last) {
      return false;
    }
    if (lastDurable.get(dataCentre) < time) {
      clock.observe(time);
      lastDurable = lastDurable.with(dataCentre, time);
      raiseStable();
    }
    return true;
  }

  /** Up to what time all transactions of another data centre are durable here. */
  long reached(int dataCentre) {
    return lastDurable.get(dataCentre);
  }

  /** The journal tells up to where everything of other data centres is here. */
  synchronized void recorded(VectorClock reached) {
    recorded = recorded.join(reached);
  }

  /** Up to where everything is here, as far as a restart does not forget it. */
  VectorClock recorded() {
    return local.raise(recorded, local.timeIn(lastDurable));
  }

  /** The last durable transaction of each other data centre; 0 where there is none. */
  VectorClock received() {
    return received;
  }

  /**
   * At or above the last durable transaction of each other data centre. Never decreases, and never
   * falls below a checkpoint, at or above which snapshots have to be.
   */
  VectorClock lastOfOthers() {
    return received.join(checkpoint);
  }

  /** The last durable transaction of each data centre, for a checkpoint at a vector. */
  VectorClock lastFor(VectorClock at) {
    // A copy of the checkpoint for another data centre has no own commits after it.
    return local.with(received, Math.min(lastOwn, local.timeIn(at)));
  }

  private void raiseStable() {
    // The durable commit first: who is prepared below it was there before it.
    raiseStable(complete(lastDurable));
  }

  private synchronized void raiseStable(VectorClock candidate) {
    stable = stable.join(candidate);
  }

  /** The last own commit, durable or not; 0 if there is none. Under the commit lock. */
  long lastOwn() {
    return lastCommitTime;
  }

  /** The newest commit, durable or not, or a later time. Under the commit lock. */
  VectorClock lastCommit() {
    return local.raise(lastDurable, lastCommitTime);
  }

  /** Whether a commit of this partition is durable. */
  boolean isDurable(long commitTime) {
    return commitTime <= local.timeIn(lastDurable);
  }

  /** The present, in milliseconds since 1970; never goes back. */
  long nowMillis() {
    return Timestamp.epochMillis(clock.promise());
  }

  /** Whether the stable vector is so old that time should pass. */
  boolean isOld() {
    return Timestamp.epochMillis(clock.machineTime()) - Timestamp.epochMillis(local.timeIn(stable))
        > STABLE_AGE.toMillis();
  }

  /**
   * Ends what the ceiling allows: later promises need a new one. Under the commit lock.
   *
   * @return a time at or above all that were told, which the journal is to be given; empty if the
   *     next clock begins no further ahead without it
   */
  OptionalLong end() {
    long told = Math.max(clock.told(), lastCommitTime);
    isEnded = true;
    if (nextBeginning <= told) {
      return OptionalLong.empty();
    }
    nextBeginning = told;
    return OptionalLong.of(told);
  }

  /** Whether later commits are known to be above a vector. */
  boolean isPromised(VectorClock vector) {
    return local.timeIn(vector) <= Math.max(promised, local.timeIn(stable));
  }

  /** A vector at which a transaction that this partition committed at a time is visible. */
  VectorClock seenAt(long commitTime) {
    return local.with(stable, commitTime);
  }

  /** The present. */
  VectorClock now() {
    return local.with(stable, clock.promise());
  }

  /**
   * Makes sure that later commits are above a vector, and the vector stable if nothing is in its
   * way. Under the commit lock.
   *
   * @return what has to be durable before another try
   */
  Optional<ClockRequest> promise(VectorClock vector, Journal journal) {
    long time = local.timeIn(vector);
    clock.observe(time);
    boolean isWaiting = afterEnd.filter(ceiling -> !ceiling.hasOutcome()).isPresent();
    boolean needsCeiling = isEnded || isWaiting || time >= clock.ceiling();
    boolean isDue =
        clock.isNearCeiling(time)
            && ceilingOnItsWay.map(ClockRequest::ceiling).orElse(0L) <= clock.ceiling();
    if (isEnded || isDue) {
      ClockRequest request = new ClockRequest(clock.ceilingAbove(time));
      journal.append(request);
      ceilingOnItsWay = Optional.of(request);
      nextBeginning = Math.max(nextBeginning, request.ceiling());
      if (isEnded) {
        afterEnd = ceilingOnItsWay;
        isEnded = false;
      }
    }
    if (needsCeiling) {
      return ceilingOnItsWay;
    }
    promised = Math.max(promised, time);
    if (lastCommitTime <= local.timeIn(lastDurable)) {
      raiseStable(complete(local.with(stable, time)));
    }
    return Optional.empty();
  }
}
