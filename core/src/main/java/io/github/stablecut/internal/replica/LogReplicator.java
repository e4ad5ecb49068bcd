package io.github.stablecut.internal.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.internal.thread.HeapShare;
import io.github.stablecut.journal.DiskFullException;
import io.github.stablecut.journal.LogDeposedException;
import io.github.stablecut.journal.LogEpochs;
import io.github.stablecut.journal.LogReplicas;
import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.segment.LogSpace;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Replicates a leader's log to the other voters in one epoch: tracks what each has, sends what it
 * lacks, and computes what a majority has. At most one message to each is in flight; records that
 * accumulate meanwhile go into the next one. Also runs the read index rounds, one for all waiting
 * reads.
 *
 * <p>Thread-safe. The leader's journal blocks in {@link #await}. {@link #countAcknowledgement}
 * wakes it without taking the lock, so threads that must not block may call it.
 *
 * <p>Invariant: a replica counts only for what it has acknowledged together with the header of this
 * epoch.
 */
public final class LogReplicator implements LogReplicas {
  /** Maximum bytes of records in a group, unless a single record is larger. */
  private static final long MAX_BYTES = 1 << 20;

  /**
   * Maximum bytes of a transaction's effects and object ids: a thirty-second of the heap. With
   * replicas, nodes hold several copies of a transaction, as a request, a record, and messages.
   */
  public static final int MAX_TRANSACTION_BYTES =
      (int) Math.max(1 << 20, HeapShare.of(Integer.MAX_VALUE / 2));

  /** Maximum bytes of a record that is committed now, including its metadata. */
  private static final int MAX_RECORD_BYTES = MAX_TRANSACTION_BYTES + MAX_TRANSACTION_BYTES / 16;

  /** Time after which an unanswered message is resent. */
  private static final long RESEND_NANOS = 1_000_000_000;

  /** A learner that stays silent for this time is removed. */
  private static final long SILENT_LEARNER_NANOS = 10_000_000_000L;

  /** A replica heard within this time is most likely alive: each answers four times a second. */
  private static final long RECENT_NANOS = Election.SILENCE_NANOS / 2;

  private final String self;
  private final Configuration configuration;
  private final ReplicaLog log;
  private final ReplicaHost host;

  /** The number after the last record of earlier epochs. */
  private final long epochStart;

  /** For each other voter, the number below which it has acknowledged all records in this epoch. */
  private final Map<String, AtomicLong> acknowledgedBelow;

  /** Whether some voter reported last that its disk is short of space. Written under the lock. */
  private volatile boolean isShortOfSpace;

  /** The journal's thread while it waits for a majority. */
  private volatile @Nullable Thread waitingJournal;

  /** The epochs of the records before the header. */
  private final LogEpochs earlierEpochs;

  @GuardedBy("this")
  private final Map<String, FollowerProgress> followers = new LinkedHashMap<>();

  /** Rounds that confirm that this replica still leads. */
  @GuardedBy("this")
  private final ReadIndexRounds reads;

  @GuardedBy("this")
  private final LastGroup lastGroup = new LastGroup();

  @GuardedBy("this")
  private long committed;

  /** The committed watermark before the last tick. */
  @GuardedBy("this")
  private long committedBeforeTick = Long.MAX_VALUE;

  @GuardedBy("this")
  private long nowNanos;

  /** The time of each replica's last message. */
  @GuardedBy("this")
  private final Map<String, Long> heardAtNanos = new HashMap<>();

  /** Written under the lock. */
  private volatile boolean hasSteppedDown;

  /**
   * @param log the log, which ends with the header of the configuration's epoch
   * @param committed all records below it are known to be committed
   */
  LogReplicator(
      String self,
      Configuration configuration,
      ReplicaLog log,
      ReplicaHost host,
      long committed,
      long nowNanos) {
    this.self = self;
    this.configuration = configuration;
    this.log = log;
    this.host = host;
    this.epochStart = log.next();
    this.earlierEpochs = log.epochs();
    this.committed = committed;
    this.nowNanos = nowNanos;
    this.reads = new ReadIndexRounds(self, configuration, host);
    this.acknowledgedBelow =
        configuration.voters().stream()
            .filter(voter -> !voter.equals(self))
            .collect(Collectors.toUnmodifiableMap(voter -> voter, voter -> new AtomicLong()));
    for (String voter : configuration.voters()) {
      heardAtNanos.put(voter, nowNanos);
      if (!voter.equals(self)) {
        followers.put(voter, new FollowerProgress(epochStart, nowNanos));
      }
    }
  }

  /** The number after the last record, including the group that is being written. */
  synchronized long groupEnd() {
    return end();
  }

  /** The number after the last record that is written or being written. */
  @GuardedBy("this")
  private long end() {
    return lastGroup.end(log.next());
  }

  @Override
  public synchronized void send(long first, List<PendingRecord> records) {
    // Copy first, as that may fail: a failure after begin() would send a group under another one's
    // numbers.
    List<LogRecord> copied =
        records.stream().map(one -> new LogRecord(one.kind(), one.copyOfBody())).toList();
    lastGroup.begin(first, copied, nowNanos);
    followers.forEach(this::sendUnlessInFlight);
  }

  /**
   * {@inheritDoc}
   *
   * @throws LogDeposedException if the replica has stepped down
   */
  @Override
  public void await(long next) {
    synchronized (this) {
      lastGroup.markWritten();
    }
    awaitMajority(next);
    synchronized (this) {
      if (!isOnMajority(next)) {
        throw new LogDeposedException(
            "%s no longer leads the partition in epoch %d".formatted(self, configuration.epoch()));
      }
      commit(next);
    }
  }

  /** Waits until a majority has all records below a number, or this replica steps down. */
  private void awaitMajority(long next) {
    boolean isInterrupted = false;
    waitingJournal = Thread.currentThread();
    while (!isDecided(next)) {
      LockSupport.park(this);
      isInterrupted |= Thread.interrupted();
    }
    waitingJournal = null;
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void wake() {
    Thread blocked = waitingJournal;
    if (blocked != null) {
      LockSupport.unpark(blocked);
    }
  }

  /** Whether {@link #await} would return or throw without waiting. */
  public boolean isDecided(long next) {
    return hasSteppedDown || isOnMajority(next);
  }

  /** Whether a majority has all records below a number, assuming that this replica has them. */
  boolean isOnMajority(long next) {
    Set<String> have = new HashSet<>(Set.of(self));
    acknowledgedBelow.forEach(
        (voter, below) -> {
          if (below.get() >= next) {
            have.add(voter);
          }
        });
    return !hasSteppedDown && configuration.isMajority(have);
  }

  /**
   * Counts a voter's acknowledgement at once, and wakes the journal if a majority has what it waits
   * for. {@link #acknowledged} also gets the message, perhaps later. Never blocks.
   */
  public void countAcknowledgement(String from, ReplicaMessage.Acknowledged message) {
    AtomicLong below = acknowledgedBelow.get(from);
    if (below != null && message.epoch() == configuration.epoch() && message.isInEpoch()) {
      below.accumulateAndGet(message.next(), Math::max);
      wake();
    }
  }

  /** Raises the committed watermark; this replica has the records too. */
  synchronized void commit(long next) {
    committed = Math.max(committed, next);
  }

  /** The committed watermark: all records below it are committed. */
  public synchronized long committed() {
    return committed;
  }

  /** The number after the last record of earlier epochs. */
  long epochStart() {
    return epochStart;
  }

  @GuardedBy("this")
  private void sendUnlessInFlight(String name, FollowerProgress other) {
    if (other.canSend() && !other.isFarBehind() && other.next() < end()) {
      sendNext(name, other);
    }
  }

  @GuardedBy("this")
  private void sendNext(String name, FollowerProgress other) {
    if (hasSteppedDown) {
      return;
    }
    long from = other.next();
    long previous = epochAt(from - 1);
    // The follower may have a different record before it, whose epoch is unknown here and can't be
    // compared.
    boolean isUnknown = previous == LogEpochs.UNKNOWN && !other.startsAt(from);
    if (from < log.first() || isUnknown) {
      reportDropped(name, other);
      return;
    }
    long recordsEpoch = from < epochStart ? earlierEpochs.at(from) : configuration.epoch();
    long to = from < epochStart ? earlierEpochs.endOfEpochAt(from, epochStart) : end();
    List<LogRecord> records;
    try {
      // An empty group asks a follower with a full disk whether it has space by now.
      records = other.space() == LogSpace.NONE ? List.of() : records(from, to);
    } catch (IllegalArgumentException e) {
      reportDropped(name, other);
      return;
    }
    other.markSent(records.size(), nowNanos);
    host.send(
        name,
        new ReplicaMessage.Group(
            configuration.epoch(), from, Math.max(0, previous), recordsEpoch, records, committed));
  }

  /** Reports to a follower that the records it needs were dropped. */
  @GuardedBy("this")
  private void reportDropped(String name, FollowerProgress other) {
    other.markFarBehind();
    host.send(name, new ReplicaMessage.RecordsDropped(configuration.epoch(), log.first()));
  }

  /**
   * A replica fetches a checkpoint: the records after that checkpoint are retained for it.
   *
   * @param begins whether it requests the list of files
   */
  synchronized void noteCheckpointFetch(String from, boolean begins) {
    FollowerProgress other = followers.get(from);
    if (other != null) {
      heardAtNanos.put(from, nowNanos);
      other.noteFetch(begins, log.first(), nowNanos);
    }
  }

  private long epochAt(long number) {
    return number < epochStart ? earlierEpochs.at(number) : configuration.epoch();
  }

  @GuardedBy("this")
  private List<LogRecord> records(long from, long to) {
    if (from >= to) {
      return List.of();
    }
    return lastGroup.reaches(from)
        ? lastGroup.records(from, to, MAX_BYTES)
        : log.read(from, lastGroup.firstBelow(to), MAX_BYTES);
  }

  /** Starts to replicate the log to a learner. */
  synchronized void addLearner(String name) {
    heardAtNanos.put(name, nowNanos);
    if (!hasSteppedDown && !followers.containsKey(name) && !name.equals(self)) {
      FollowerProgress other = new FollowerProgress(epochStart, nowNanos);
      followers.put(name, other);
      sendNext(name, other);
    }
  }

  private boolean isLearner(String name) {
    return !configuration.voters().contains(name);
  }

  /**
   * The learners that are alive, have the log up to the watermark of the last tick, and have disk
   * space: any of them may replace a voter.
   */
  synchronized List<String> readyLearners() {
    List<String> learners = new ArrayList<>();
    for (Map.Entry<String, FollowerProgress> one : followers.entrySet()) {
      boolean mayVote = isLearner(one.getKey()) && one.getValue().space() == LogSpace.ENOUGH;
      if (mayVote && hasCommitted(one.getKey())) {
        learners.add(one.getKey());
      }
    }
    return learners;
  }

  /**
   * Whether another voter is alive, has all records committed before the last tick, and has enough
   * disk space that commits are not refused.
   */
  synchronized boolean isUpToDate(String voter) {
    return hasSpace(voter) && hasCommitted(voter);
  }

  /** Whether another replica is alive and has all records committed before the last tick. */
  synchronized boolean hasCommitted(String voter) {
    FollowerProgress other = followers.get(voter);
    return other != null && other.hasAcknowledged(committedBeforeTick) && !isSilent(voter);
  }

  /**
   * Whether another voter has sent a message recently, follows this leader, and can store more
   * records.
   */
  synchronized boolean isNear(String voter) {
    FollowerProgress other = followers.get(voter);
    return other != null
        && acknowledgedBy(voter) > 0
        && other.space() != LogSpace.NONE
        && nowNanos - heardAtNanos.getOrDefault(voter, nowNanos) <= RECENT_NANOS;
  }

  /** Whether another voter is near and has acknowledged every record that this replica has. */
  synchronized boolean isCaughtUp(String voter) {
    return isNear(voter) && acknowledgedBy(voter) >= end();
  }

  /**
   * The number below which another voter has acknowledged all records in this epoch; 0 if unknown.
   */
  private long acknowledgedBy(String voter) {
    AtomicLong below = acknowledgedBelow.get(voter);
    return below == null ? 0 : below.get();
  }

  /** Whether another replica has enough disk space that commits are not refused. */
  synchronized boolean hasSpace(String voter) {
    FollowerProgress other = followers.get(voter);
    return other != null && other.space() == LogSpace.ENOUGH;
  }

  /** The state of the other replicas. */
  synchronized List<FollowerStatus> followers() {
    List<FollowerStatus> statuses = new ArrayList<>();
    for (Map.Entry<String, FollowerProgress> one : followers.entrySet()) {
      String name = one.getKey();
      long behind = Math.max(0, end() - Math.max(1, one.getValue().acknowledgedBelow()));
      boolean isFull = one.getValue().space() != LogSpace.ENOUGH;
      statuses.add(new FollowerStatus(name, !isLearner(name), isSilent(name), isFull, behind));
    }
    return statuses;
  }

  /** Whether a replica was silent for longer than the election timeout. */
  synchronized boolean isSilent(String voter) {
    return nowNanos - heardAtNanos.getOrDefault(voter, nowNanos) > Election.SILENCE_NANOS;
  }

  /** Handles an acknowledgement. */
  synchronized void acknowledged(String from, ReplicaMessage.Acknowledged message) {
    FollowerProgress other = followers.get(from);
    if (other == null) {
      return;
    }
    heardAtNanos.put(from, nowNanos);
    other.acknowledged(message, committed, nowNanos);
    countAcknowledgement(from, message);
    isShortOfSpace =
        followers.entrySet().stream()
            .anyMatch(one -> !isLearner(one.getKey()) && one.getValue().space() != LogSpace.ENOUGH);
    if (other.canSend() && other.lacks(end())) {
      sendNext(from, other);
    }
  }

  /** The message in flight to another replica was dropped: the next tick resends it. */
  public synchronized void messageDropped(String to) {
    FollowerProgress other = followers.get(to);
    if (other != null) {
      other.clearInFlight();
    }
  }

  /**
   * A replica's log does not match before a group: resumes at the last record at which both logs
   * agree. A voter that lacks records it had acknowledged has an older disk, and gets nothing.
   */
  synchronized void resumeAfterMismatch(String from, ReplicaMessage.LogMismatch message) {
    FollowerProgress other = followers.get(from);
    if (other == null) {
      return;
    }
    heardAtNanos.put(from, nowNanos);
    other.noteMismatch(message.epochs().starts().get(0).first());
    if (isLearner(from) && message.next() < other.acknowledgedBelow()) {
      // The learner was deleted and recreated under the same name: its acknowledgements are void.
      other.discardAcknowledgements();
    }
    if (other.tryResumeAt(endOfAgreement(message.next(), message.epochs()))) {
      sendNext(from, other);
    }
  }

  /**
   * A replica may have lost the end of its log: its earlier acknowledgements no longer prove that
   * it has those records.
   *
   * @param next the number after its last record
   * @return the number after the leader's last record, including one that is being written
   */
  synchronized long discardAcknowledgements(String from, long next) {
    FollowerProgress other = followers.get(from);
    if (other != null && next < other.acknowledgedBelow()) {
      other.discardAcknowledgements();
    }
    return end();
  }

  @GuardedBy("this")
  private long endOfAgreement(long theirNext, LogEpochs theirEpochs) {
    long next = Math.min(theirNext, end());
    while (next > 1) {
      long own = epochAt(next - 1);
      long their = theirEpochs.at(next - 1);
      if (own == their || own == LogEpochs.UNKNOWN || their == LogEpochs.UNKNOWN) {
        return next;
      }
      if (own > their) {
        next = next - 1 < epochStart ? earlierEpochs.firstOfEpochAt(next - 1) : epochStart;
      } else {
        next = theirEpochs.firstOfEpochAt(next - 1);
      }
    }
    return 1;
  }

  @Override
  public synchronized long oldestNeeded() {
    long oldest = committed;
    for (FollowerProgress other : followers.values()) {
      oldest = Math.min(oldest, other.oldestNeeded(nowNanos));
    }
    return oldest;
  }

  @Override
  public int largestRecord() {
    return MAX_RECORD_BYTES;
  }

  @Override
  public boolean mayLackRoom() {
    return isShortOfSpace;
  }

  @Override
  public void checkRoom() {
    if (isShortOfSpace) {
      checkSpaceOfMajority();
    }
  }

  private synchronized void checkSpaceOfMajority() {
    Set<String> ready = new HashSet<>(Set.of(self));
    List<String> full = new ArrayList<>();
    followers.forEach(
        (name, other) -> {
          if (other.space() == LogSpace.ENOUGH && !isSilent(name)) {
            ready.add(name);
          } else if (other.space() != LogSpace.ENOUGH && !isLearner(name)) {
            full.add(name);
          }
        });
    if (!full.isEmpty() && !configuration.isMajority(ready)) {
      throw new DiskFullException(
          "too few replicas of the partition have enough disk space: %s of %s lack it; free some space, and commits succeed again"
              .formatted(String.join(", ", full), String.join(", ", configuration.voters())));
    }
  }

  @Override
  public synchronized CompletableFuture<Boolean> confirm() {
    return hasSteppedDown ? CompletableFuture.completedFuture(false) : reads.ask();
  }

  /** A voter confirmed that it has not voted in a later epoch. */
  void confirmed(String from, long round) {
    List<CompletableFuture<Boolean>> done;
    synchronized (this) {
      heardAtNanos.put(from, nowNanos);
      done = reads.confirmed(from, round);
    }
    done.forEach(one -> one.complete(true));
  }

  /** Advances the time at which messages count as received. */
  synchronized void advanceTime(long nanos) {
    nowNanos = nanos;
  }

  /** Advances the time: sends a heartbeat to every voter and resends what was lost. */
  synchronized void tick(long nanos) {
    nowNanos = nanos;
    heardAtNanos.put(self, nanos);
    Map<String, Long> lastHeardNanos = heardAtNanos;
    followers
        .keySet()
        .removeIf(
            name ->
                isLearner(name)
                    && nanos - lastHeardNanos.getOrDefault(name, nanos) > SILENT_LEARNER_NANOS);
    committedBeforeTick = committed;
    lastGroup.dropIfLarge(log.next());
    followers.forEach(
        (name, other) -> {
          boolean isQuiet = !other.isInFlight() || mayBeLost(name, other);
          if (isQuiet) {
            sendNext(name, other);
          }
          // A large group may take long to send; this tells the follower meanwhile that the leader
          // is alive.
          if (!isQuiet || reads.isUnanswered(name)) {
            reads.ask(name);
          }
        });
  }

  /**
   * Whether the message in flight may be lost. A large message that has not reached the network is
   * not read again, as it would be dropped.
   */
  @GuardedBy("this")
  private boolean mayBeLost(String name, FollowerProgress other) {
    return other.isOverdue(RESEND_NANOS, nowNanos) && !host.isSending(name);
  }

  /** Whether a local write has taken so long that the disk seems to hang. */
  synchronized boolean isStuck(long nanos) {
    return lastGroup.isStuck(nanos);
  }

  /** Returns the time since a majority was last heard. */
  synchronized long silenceNanos(long nanos) {
    List<Long> times = new ArrayList<>();
    for (String voter : configuration.voters()) {
      times.add(heardAtNanos.getOrDefault(voter, nanos));
    }
    Collections.sort(times);
    // The last messages of a majority arrived at or after this median.
    return nanos - times.get((times.size() - 1) / 2);
  }

  /** Steps down: everything that waits completes without success. */
  void stepDown() {
    List<CompletableFuture<Boolean>> waiting;
    synchronized (this) {
      hasSteppedDown = true;
      wake();
      waiting = reads.end();
    }
    waiting.forEach(one -> one.complete(false));
  }
}
