package io.github.stablecut.internal.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.internal.thread.HeapShare;
import io.github.stablecut.journal.DiskFullException;
import io.github.stablecut.journal.LogDeposedException;
import io.github.stablecut.journal.LogEpochs;
import io.github.stablecut.journal.LogReplicas;
import io.github.stablecut.journal.LogSpace;
import io.github.stablecut.journal.PendingRecord;
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
 * <p>Thread-safe. The leader's journal blocks in {@link #await}. {@link #heard} wakes it without
 * taking the lock, so threads that must not block may call it.
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
  public static final int LARGEST_TRANSACTION =
      (int) Math.max(1 << 20, HeapShare.of(Integer.MAX_VALUE / 2));

  /** Maximum bytes of a record that is committed now, including its metadata. */
  private static final int LARGEST_RECORD = LARGEST_TRANSACTION + LARGEST_TRANSACTION / 16;

  /** Time after which an unanswered message is resent. */
  private static final long REPEAT_NANOS = 1_000_000_000;

  /** A learner that stays silent for this time is removed. */
  private static final long FORGET_NANOS = 10_000_000_000L;

  /** A replica heard within this time is most likely alive: each answers four times a second. */
  private static final long LATELY_NANOS = Election.SILENCE_NANOS / 2;

  private final String self;
  private final Configuration configuration;
  private final ReplicaLog log;
  private final ReplicaHost host;

  /** The number after the last record of earlier epochs. */
  private final long header;

  /** For each other voter, the number below which it has acknowledged all records in this epoch. */
  private final Map<String, AtomicLong> held;

  /** Whether some voter reported last that its disk is short of space. Written under the lock. */
  private volatile boolean isShortOfRoom;

  /** The journal's thread while it waits for a majority. */
  private volatile @Nullable Thread waiting;

  /** The epochs of the records before the header. */
  private final LogEpochs before;

  @GuardedBy("this")
  private final Map<String, FollowerProgress> others = new LinkedHashMap<>();

  /** Rounds that confirm that this replica still leads. */
  @GuardedBy("this")
  private final ReadIndexRounds reads;

  @GuardedBy("this")
  private final LastGroup group = new LastGroup();

  @GuardedBy("this")
  private long committed;

  /** The committed watermark before the last tick. */
  @GuardedBy("this")
  private long committedBefore = Long.MAX_VALUE;

  @GuardedBy("this")
  private long now;

  /** When each replica was heard last. */
  @GuardedBy("this")
  private final Map<String, Long> heard = new HashMap<>();

  /** Written under the lock. */
  private volatile boolean hasEnded;

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
      long now) {
    this.self = self;
    this.configuration = configuration;
    this.log = log;
    this.host = host;
    this.header = log.next();
    this.before = log.epochs();
    this.committed = committed;
    this.now = now;
    this.reads = new ReadIndexRounds(self, configuration, host);
    this.held =
        configuration.voters().stream()
            .filter(voter -> !voter.equals(self))
            .collect(Collectors.toUnmodifiableMap(voter -> voter, voter -> new AtomicLong()));
    for (String voter : configuration.voters()) {
      heard.put(voter, now);
      if (!voter.equals(self)) {
        others.put(voter, new FollowerProgress(header, now));
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
    return group.end(log.next());
  }

  @Override
  public synchronized void send(long first, List<PendingRecord> records) {
    // Copy first, as that may fail: a failure after begin() would send a group under another one's
    // numbers.
    List<LogRecord> copied =
        records.stream().map(one -> new LogRecord(one.kind(), one.copyOfBody())).toList();
    group.begin(first, copied, now);
    others.forEach(this::shipUnlessUnderWay);
  }

  /**
   * {@inheritDoc}
   *
   * @throws LogDeposedException if the replica has stepped down
   */
  @Override
  public void await(long next) {
    synchronized (this) {
      group.written();
    }
    awaitMajority(next);
    synchronized (this) {
      if (!isHeld(next)) {
        throw new LogDeposedException(
            "%s no longer leads the partition in epoch %d".formatted(self, configuration.epoch()));
      }
      commit(next);
    }
  }

  /** Waits until a majority has all records below a number, or this replica steps down. */
  private void awaitMajority(long next) {
    boolean isInterrupted = false;
    waiting = Thread.currentThread();
    while (!hasEnded && !isHeld(next)) {
      LockSupport.park(this);
      isInterrupted |= Thread.interrupted();
    }
    waiting = null;
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void wake() {
    Thread blocked = waiting;
    if (blocked != null) {
      LockSupport.unpark(blocked);
    }
  }

  /** Whether a majority has all records below a number, assuming that this replica has them. */
  boolean isHeld(long next) {
    Set<String> have = new HashSet<>(Set.of(self));
    held.forEach(
        (voter, below) -> {
          if (below.get() >= next) {
            have.add(voter);
          }
        });
    return !hasEnded && configuration.isMajority(have);
  }

  /**
   * Counts a voter's acknowledgement at once, and wakes the journal if a majority has what it waits
   * for. {@link #acknowledged} also gets the message, perhaps later. Never blocks.
   */
  public void heard(String from, ReplicaMessage.Acknowledged message) {
    AtomicLong below = held.get(from);
    if (below != null && message.epoch() == configuration.epoch() && message.isInEpoch()) {
      long unused = below.accumulateAndGet(message.next(), Math::max);
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
  long header() {
    return header;
  }

  @GuardedBy("this")
  private void shipUnlessUnderWay(String name, FollowerProgress other) {
    if (other.isFree() && !other.isFarBehind() && other.next() < end()) {
      ship(name, other);
    }
  }

  @GuardedBy("this")
  private void ship(String name, FollowerProgress other) {
    if (hasEnded) {
      return;
    }
    long from = other.next();
    long previous = epochAt(from - 1);
    // The follower may have a different record before it, whose epoch is unknown here and can't be
    // compared.
    boolean isUnknown = previous == LogEpochs.UNKNOWN && !other.beginsWith(from);
    if (from < log.first() || isUnknown) {
      fallBehind(name, other);
      return;
    }
    long recordsEpoch = from < header ? before.at(from) : configuration.epoch();
    long to = from < header ? before.endOfEpochAt(from, header) : end();
    List<LogRecord> records;
    try {
      // An empty group asks a follower with a full disk whether it has space by now.
      records = other.room() == LogSpace.NONE ? List.of() : records(from, to);
    } catch (IllegalArgumentException e) {
      fallBehind(name, other);
      return;
    }
    other.sent(records.size(), now);
    host.send(
        name,
        new ReplicaMessage.Group(
            configuration.epoch(), from, Math.max(0, previous), recordsEpoch, records, committed));
  }

  /** Reports to a follower that the records it needs were dropped. */
  @GuardedBy("this")
  private void fallBehind(String name, FollowerProgress other) {
    other.fellBehind();
    host.send(name, new ReplicaMessage.Behind(configuration.epoch(), log.first()));
  }

  /**
   * A replica fetches a checkpoint: the records after that checkpoint are retained for it.
   *
   * @param begins whether it requests the list of files
   */
  synchronized void fetches(String from, boolean begins) {
    FollowerProgress other = others.get(from);
    if (other != null) {
      heard.put(from, now);
      other.fetches(begins, log.first(), now);
    }
  }

  private long epochAt(long number) {
    return number < header ? before.at(number) : configuration.epoch();
  }

  @GuardedBy("this")
  private List<LogRecord> records(long from, long to) {
    if (from >= to) {
      return List.of();
    }
    return group.has(from)
        ? group.records(from, to, MAX_BYTES)
        : log.read(from, group.firstBelow(to), MAX_BYTES);
  }

  /** Starts to replicate the log to a learner. */
  synchronized void learns(String name) {
    heard.put(name, now);
    if (!hasEnded && !others.containsKey(name) && !name.equals(self)) {
      FollowerProgress other = new FollowerProgress(header, now);
      others.put(name, other);
      ship(name, other);
    }
  }

  private boolean isLearner(String name) {
    return !configuration.voters().contains(name);
  }

  /**
   * The learners that are alive, have the log up to the watermark of the last tick, and have disk
   * space: any of them may replace a voter.
   */
  synchronized List<String> learners() {
    List<String> learners = new ArrayList<>();
    for (Map.Entry<String, FollowerProgress> one : others.entrySet()) {
      boolean mayVote = isLearner(one.getKey()) && one.getValue().room() == LogSpace.ENOUGH;
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
    return hasRoom(voter) && hasCommitted(voter);
  }

  /** Whether another replica is alive and has all records committed before the last tick. */
  synchronized boolean hasCommitted(String voter) {
    FollowerProgress other = others.get(voter);
    return other != null && other.hasInEpoch(committedBefore) && !isSilent(voter);
  }

  /** Whether another voter was heard recently, follows this leader, and can store more records. */
  synchronized boolean isNear(String voter) {
    FollowerProgress other = others.get(voter);
    return other != null
        && heldBy(voter) > 0
        && other.room() != LogSpace.NONE
        && now - heard.getOrDefault(voter, now) <= LATELY_NANOS;
  }

  /** Whether another voter is near and has acknowledged every record that this replica has. */
  synchronized boolean hasAll(String voter) {
    return isNear(voter) && heldBy(voter) >= end();
  }

  /**
   * The number below which another voter has acknowledged all records in this epoch; 0 if unknown.
   */
  private long heldBy(String voter) {
    AtomicLong below = held.get(voter);
    return below == null ? 0 : below.get();
  }

  /** Whether another replica has enough disk space that commits are not refused. */
  synchronized boolean hasRoom(String voter) {
    FollowerProgress other = others.get(voter);
    return other != null && other.room() == LogSpace.ENOUGH;
  }

  /** The state of the other replicas. */
  synchronized List<FollowerStatus> followers() {
    List<FollowerStatus> followers = new ArrayList<>();
    for (Map.Entry<String, FollowerProgress> one : others.entrySet()) {
      String name = one.getKey();
      long behind = Math.max(0, end() - Math.max(1, one.getValue().held()));
      boolean isFull = one.getValue().room() != LogSpace.ENOUGH;
      followers.add(new FollowerStatus(name, !isLearner(name), isSilent(name), isFull, behind));
    }
    return followers;
  }

  /** Whether a replica was silent for longer than the election timeout. */
  synchronized boolean isSilent(String voter) {
    return now - heard.getOrDefault(voter, now) > Election.SILENCE_NANOS;
  }

  /** Handles an acknowledgement. */
  synchronized void acknowledged(String from, ReplicaMessage.Acknowledged message) {
    FollowerProgress other = others.get(from);
    if (other == null) {
      return;
    }
    heard.put(from, now);
    other.acknowledged(message, committed, now);
    heard(from, message);
    isShortOfRoom =
        others.entrySet().stream()
            .anyMatch(one -> !isLearner(one.getKey()) && one.getValue().room() != LogSpace.ENOUGH);
    if (other.isFree() && other.lacks(end())) {
      ship(from, other);
    }
  }

  /** The message in flight to another replica was dropped: the next tick resends it. */
  public synchronized void refused(String to) {
    FollowerProgress other = others.get(to);
    if (other != null) {
      other.nothingIsUnderWay();
    }
  }

  /**
   * A replica's log does not match before a group: resumes at the last record at which both logs
   * agree. A voter that lacks records it had acknowledged has an older disk, and gets nothing.
   */
  synchronized void differs(String from, ReplicaMessage.Differs message) {
    FollowerProgress other = others.get(from);
    if (other == null) {
      return;
    }
    heard.put(from, now);
    other.differs(message.epochs().starts().get(0).first());
    if (isLearner(from) && message.next() < other.held()) {
      // The learner was deleted and recreated under the same name: its acknowledgements are void.
      other.beginsAnew();
    }
    if (other.goesBack(agreed(message.next(), message.epochs()))) {
      ship(from, other);
    }
  }

  /**
   * A replica may have lost the end of its log: its earlier acknowledgements no longer prove that
   * it has those records.
   *
   * @param next the number after its last record
   * @return the number after the leader's last record, including one that is being written
   */
  synchronized long lacks(String from, long next) {
    FollowerProgress other = others.get(from);
    if (other != null && next < other.held()) {
      other.beginsAnew();
    }
    return end();
  }

  @GuardedBy("this")
  private long agreed(long theirNext, LogEpochs theirs) {
    long next = Math.min(theirNext, end());
    while (next > 1) {
      long own = epochAt(next - 1);
      long their = theirs.at(next - 1);
      if (own == their || own == LogEpochs.UNKNOWN || their == LogEpochs.UNKNOWN) {
        return next;
      }
      if (own > their) {
        next = next - 1 < header ? before.firstOfEpochAt(next - 1) : header;
      } else {
        next = theirs.firstOfEpochAt(next - 1);
      }
    }
    return 1;
  }

  @Override
  public synchronized long oldestNeeded() {
    long oldest = committed;
    for (FollowerProgress other : others.values()) {
      oldest = Math.min(oldest, other.needed(now));
    }
    return oldest;
  }

  @Override
  public int largestRecord() {
    return LARGEST_RECORD;
  }

  @Override
  public boolean mayLackRoom() {
    return isShortOfRoom;
  }

  @Override
  public void checkRoom() {
    if (isShortOfRoom) {
      checkRoomOfMajority();
    }
  }

  private synchronized void checkRoomOfMajority() {
    Set<String> ready = new HashSet<>(Set.of(self));
    List<String> full = new ArrayList<>();
    others.forEach(
        (name, other) -> {
          if (other.room() == LogSpace.ENOUGH && !isSilent(name)) {
            ready.add(name);
          } else if (other.room() != LogSpace.ENOUGH && !isLearner(name)) {
            full.add(name);
          }
        });
    if (!full.isEmpty() && !configuration.isMajority(ready)) {
      throw new DiskFullException(
          "too few replicas of the partition have room on their disks, as %s of %s have too little: make room; commits then work again"
              .formatted(String.join(", ", full), String.join(", ", configuration.voters())));
    }
  }

  @Override
  public synchronized CompletableFuture<Boolean> confirm() {
    return hasEnded ? CompletableFuture.completedFuture(false) : reads.ask();
  }

  /** A voter confirmed that it has not voted in a later epoch. */
  void confirmed(String from, long round) {
    List<CompletableFuture<Boolean>> done;
    synchronized (this) {
      heard.put(from, now);
      done = reads.confirmed(from, round);
    }
    done.forEach(one -> one.complete(true));
  }

  /** Advances the time at which messages count as received. */
  synchronized void passed(long nanos) {
    now = nanos;
  }

  /** Advances the time: sends a heartbeat to every voter and resends what was lost. */
  synchronized void tick(long nanos) {
    now = nanos;
    heard.put(self, nanos);
    for (String name : List.copyOf(others.keySet())) {
      if (isLearner(name) && nanos - heard.getOrDefault(name, nanos) > FORGET_NANOS) {
        var unused = others.remove(name);
      }
    }
    committedBefore = committed;
    group.dropIfLarge(log.next());
    others.forEach(
        (name, other) -> {
          boolean isQuiet = !other.isUnderWay() || mayBeLost(name, other);
          if (isQuiet) {
            ship(name, other);
          }
          // A large group may take long to send; this tells the follower meanwhile that the leader
          // is alive.
          if (!isQuiet || reads.isAsked(name)) {
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
    return other.hasWaited(REPEAT_NANOS, now) && !host.isSending(name);
  }

  /** Whether a local write has taken so long that the disk seems to hang. */
  synchronized boolean isStuck(long nanos) {
    return group.isStuck(nanos);
  }

  /** How long no majority was heard, in nanoseconds. */
  synchronized long silence(long nanos) {
    List<Long> times = new ArrayList<>();
    for (String voter : configuration.voters()) {
      times.add(heard.getOrDefault(voter, nanos));
    }
    Collections.sort(times);
    // A majority was heard at or after the median.
    return nanos - times.get((times.size() - 1) / 2);
  }

  /** Steps down: everything that waits completes without success. */
  void resign() {
    List<CompletableFuture<Boolean>> waiting;
    synchronized (this) {
      hasEnded = true;
      wake();
      waiting = reads.end();
    }
    waiting.forEach(one -> one.complete(false));
  }
}
