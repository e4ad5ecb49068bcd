package io.github.stablecut.internal.partition.commit;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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
 * The times of a partition: the issued commit times, the durable ones, and the <em>stable
 * vector</em>. Everything at or below that vector is known, decided, durable and immutable.
 * Thread-safe; methods that need the commit lock say so.
 *
 * <p>Invariant: the stable vector passes no commit before its record is durable, and no prepared
 * transaction before its outcome is durable.
 */
public final class StableTime {
  /**
   * A stable vector older than this is advanced before use, so that time passes without commits
   * too.
   */
  private static final Duration STABLE_AGE = Duration.ofSeconds(1);

  private final LocalDataCentre local;
  private final PartitionClock clock;

  /**
   * The greatest commit time issued or learned; not durable while its record is in flight. Guarded
   * by the commit lock.
   */
  private long lastCommitTime;

  /** Guarded by the commit lock. */
  private Optional<ClockRequest> pendingCeiling = Optional.empty();

  /**
   * The time at which the next clock begins, by the ceilings in the journal, the checkpoints, and
   * records submitted to the journal. Guarded by the commit lock.
   */
  private long nextBeginning;

  /** Whether the journal has the last time issued ({@link #end}). Guarded by the commit lock. */
  private boolean isEnded;

  /**
   * The first ceiling after such an end; the end applies until it is durable. Guarded by the commit
   * lock.
   */
  private Optional<ClockRequest> afterEnd = Optional.empty();

  /** The prepare times of transactions whose outcome is not durable here. */
  private final ConcurrentSkipListSet<Long> prepared = new ConcurrentSkipListSet<>();

  /** Later commits of this partition are above it. */
  private volatile long promised;

  /** The stable vector, at which a new reader reads. */
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
  private final long openedAt;

  /** The last commit of this data centre at or before that. Guarded by the commit lock. */
  private long lastBeforeOpening;

  /**
   * The latest time of this data centre that a durable transaction of another one has read. It was
   * issued, so everything up to it was durable and decided.
   */
  private volatile long readElsewhere;

  /** The vector up to which the journal and the checkpoints prove that everything is here. */
  private volatile VectorClock recorded;

  /**
   * The times in the journal and the checkpoints.
   *
   * @param complete the times up to which they have all commits of each data centre
   * @param last the last commit of each data centre
   * @param readElsewhere the latest time of this data centre that a transaction of another one has
   *     read
   * @param checkpoint the vector of the newest checkpoint
   */
  record RecoveredTimes(
      VectorClock complete, VectorClock last, long readElsewhere, VectorClock checkpoint) {}

  /**
   * @param checkpointCeiling the clock ceiling in the checkpoints
   */
  StableTime(
      LocalDataCentre local,
      PartitionClock clock,
      RecoveredTimes recovered,
      long checkpointCeiling) {
    this.local = local;
    this.clock = clock;
    this.lastOwn = local.timeIn(recovered.last);
    this.lastCommitTime = lastOwn;
    this.openedAt = clock.promise();
    this.lastBeforeOpening = lastOwn;
    this.nextBeginning = Math.max(clock.ceiling(), checkpointCeiling);
    this.lastDurable = recovered.complete;
    this.received = local.with(recovered.last, 0);
    this.checkpoint = recovered.checkpoint;
    this.readElsewhere = recovered.readElsewhere;
    this.recorded = recovered.complete;
  }

  /** Starts to serve: everything recovered and decided becomes stable. */
  public void begin() {
    raiseStable();
  }

  public VectorClock stable() {
    return stable;
  }

  /** The newest durable commit, or a later time; every acknowledged commit is at or before it. */
  public VectorClock newest() {
    return lastDurable.join(stable);
  }

  /**
   * The newest durable commit, lowered below undecided transactions. Without own commits, its own
   * entry is at or above what transactions of other data centres have read. Those are at or before
   * it once everything else that they have read is here.
   */
  public VectorClock lastComplete() {
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
  public long tick(VectorClock snapshot, long prepared) {
    return tick(Math.max(LocalDataCentre.floorOf(snapshot), prepared));
  }

  private long tick(long floor) {
    lastCommitTime = clock.tick(Math.max(lastCommitTime, floor));
    return lastCommitTime;
  }

  /** A prepare time for a transaction, above its snapshot. Under the commit lock. */
  public long prepare(VectorClock snapshot) {
    long time = clock.tick(Math.max(lastCommitTime, LocalDataCentre.floorOf(snapshot)));
    prepared.add(time);
    return time;
  }

  /** Recovers a prepare time from the journal. */
  public void recover(long prepareTime) {
    prepared.add(prepareTime);
  }

  /** Learns of a time of another data centre: all later times of this one are above it. */
  void observe(long time) {
    clock.observe(time);
  }

  /** Learns of a commit that was decided elsewhere. Under the commit lock. */
  public void learn(long commitTime) {
    clock.observe(commitTime);
    lastCommitTime = Math.max(lastCommitTime, commitTime);
    if (commitTime <= openedAt) {
      lastBeforeOpening = Math.max(lastBeforeOpening, commitTime);
    }
  }

  /**
   * Whether no commit of this data centre can have this time, except an undecided one. Under the
   * commit lock.
   */
  public boolean lacksOwn(long commitTime) {
    return commitTime > lastCommitTime
        || (commitTime > lastBeforeOpening && commitTime <= openedAt);
  }

  /** A prepared transaction was aborted, or its outcome is durable. */
  public void decided(long prepareTime) {
    prepared.remove(prepareTime);
    raiseStable();
  }

  /**
   * All commits of this partition up to one are durable. The entries of other data centres in its
   * vector do not show what is here. On the thread that flushes groups.
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
   * The stream of another data centre has no transaction up to a time beyond the received ones.
   *
   * <p>Later times of this data centre are above that time, as vectors that include it are issued.
   *
   * @param last a time after which the stream has no transaction up to {@code time}
   * @return whether everything before is durable here; if false, nothing was changed
   */
  @CanIgnoreReturnValue
  public synchronized boolean reached(int dataCentre, long last, long time) {
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

  /** The time up to which all transactions of another data centre are durable here. */
  public long reached(int dataCentre) {
    return lastDurable.get(dataCentre);
  }

  /** The journal has recorded that everything of other data centres up to a vector is here. */
  public synchronized void recorded(VectorClock reached) {
    recorded = recorded.join(reached);
  }

  /** The vector up to which everything is here even after a restart. */
  public VectorClock recorded() {
    return local.raise(recorded, local.timeIn(lastDurable));
  }

  /** The last durable transaction of each other data centre; 0 where there is none. */
  public VectorClock received() {
    return received;
  }

  /**
   * At or above the last durable transaction of each other data centre. Never decreases, and is
   * never below a checkpoint, as snapshots must be at or above checkpoints.
   */
  public VectorClock lastOfOthers() {
    return received.join(checkpoint);
  }

  /** The last durable transaction of each data centre, for a checkpoint at a vector. */
  public VectorClock lastFor(VectorClock at) {
    // A copy of the checkpoint for another data centre has no own commits after it.
    return local.with(received, Math.min(lastOwn, local.timeIn(at)));
  }

  private void raiseStable() {
    // The durable commit is read first: a transaction prepared below it was prepared before it.
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
  public boolean isDurable(long commitTime) {
    return commitTime <= local.timeIn(lastDurable);
  }

  /** The current time, in milliseconds since 1970; never decreases. */
  long nowMillis() {
    return Timestamp.epochMillis(clock.promise());
  }

  /** Whether the stable vector is so old that it should be advanced. */
  public boolean isOld() {
    return Timestamp.epochMillis(clock.machineTime()) - Timestamp.epochMillis(local.timeIn(stable))
        > STABLE_AGE.toMillis();
  }

  /**
   * Revokes the ceiling, so that later promises need a new one. Under the commit lock.
   *
   * @return a time at or above all issued ones, to be recorded in the journal; empty if that would
   *     not lower where the next clock begins
   */
  OptionalLong end() {
    long newestIssued = Math.max(clock.issued(), lastCommitTime);
    isEnded = true;
    if (nextBeginning <= newestIssued) {
      return OptionalLong.empty();
    }
    nextBeginning = newestIssued;
    return OptionalLong.of(newestIssued);
  }

  /** Whether later commits are known to be above a vector. */
  boolean isPromised(VectorClock vector) {
    return local.timeIn(vector) <= Math.max(promised, local.timeIn(stable));
  }

  /** A vector at which a transaction that this partition committed at a time is visible. */
  public VectorClock seenAt(long commitTime) {
    return local.with(stable, commitTime);
  }

  /** A vector at the current time. */
  public VectorClock now() {
    return local.with(stable, clock.promise());
  }

  /**
   * Ensures that later commits are above a vector, which becomes stable unless something undecided
   * or not durable is below it. Under the commit lock.
   *
   * @return the record that must be durable before a retry; empty on success
   */
  Optional<ClockRequest> promise(VectorClock vector, Journal journal) {
    long time = local.timeIn(vector);
    clock.observe(time);
    boolean isWaiting = afterEnd.filter(ceiling -> !ceiling.hasOutcome()).isPresent();
    boolean needsCeiling = isEnded || isWaiting || time >= clock.ceiling();
    boolean isDue =
        clock.isNearCeiling(time)
            && pendingCeiling.map(ClockRequest::ceiling).orElse(0L) <= clock.ceiling();
    if (isEnded || isDue) {
      ClockRequest request = new ClockRequest(clock.ceilingAbove(time));
      journal.append(request);
      pendingCeiling = Optional.of(request);
      nextBeginning = Math.max(nextBeginning, request.ceiling());
      if (isEnded) {
        afterEnd = pendingCeiling;
        isEnded = false;
      }
    }
    if (needsCeiling) {
      return pendingCeiling;
    }
    raisePromise(time);
    return Optional.empty();
  }

  /**
   * Like {@link #promise}, once the journal has failed, and with it every commit that was not
   * durable by then. Nothing is committed before a reopening, so no ceiling has to be durable:
   * readers get their snapshots from partitions that commit, and the reopened clock begins above
   * the times of those. The stable vector still passes neither commits that are not durable nor
   * undecided transactions, as a reopening may keep or lose them. Under the commit lock.
   */
  void promiseUntilReopening(VectorClock vector) {
    long time = local.timeIn(vector);
    clock.observe(time);
    raisePromise(time);
  }

  private void raisePromise(long time) {
    promised = Math.max(promised, time);
    if (lastCommitTime <= local.timeIn(lastDurable)) {
      raiseStable(complete(local.with(stable, time)));
    }
  }
}
