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
 * A leader's log on its way to the other voters, in one epoch: what each of them has, what is sent
 * next, and what a majority has. One message to each is under way; what gathers meanwhile goes with
 * the next. Also asks a majority whether it still leads, in one round for all that wait.
 * Thread-safe; the leader's journal waits in {@link #await}, and {@link #heard} wakes it without
 * the lock, so that a thread may call that which nobody else must wait for.
 *
 * <p>Invariant: a copy counts only for what it has acknowledged with the header of this epoch.
 */
public final class LogReplicator implements LogReplicas {
  /** The most bytes of records in a group, unless one record is larger. */
  private static final long MAX_BYTES = 1 << 20;

  /**
   * The most bytes of effects and object ids of a transaction, a thirty-second of the heap: the
   * nodes with copies hold it several times, as a request, as a record, and as messages to and from
   * others.
   */
  public static final int LARGEST_TRANSACTION =
      (int) Math.max(1 << 20, HeapShare.of(Integer.MAX_VALUE / 2));

  /** The most bytes of a record that is committed now: with what it has beside those. */
  private static final int LARGEST_RECORD = LARGEST_TRANSACTION + LARGEST_TRANSACTION / 16;

  /** A message without an answer is sent again after so long, in nanoseconds. */
  private static final long REPEAT_NANOS = 1_000_000_000;

  /** A learner that is not heard for so long is forgotten. */
  private static final long FORGET_NANOS = 10_000_000_000L;

  /** Who was heard so long ago is most likely there: all answer four times a second. */
  private static final long LATELY_NANOS = Election.SILENCE_NANOS / 2;

  private final String self;
  private final Configuration configuration;
  private final ReplicaLog log;
  private final ReplicaHost host;

  /** The number behind the last record of earlier epochs. */
  private final long header;

  /** Below which number each other voter has everything, in this epoch. */
  private final Map<String, AtomicLong> held;

  /** Whether some voter has said last that its disk has too little room. Written under the lock. */
  private volatile boolean isShortOfRoom;

  /** The leader's journal, while it waits. */
  private volatile @Nullable Thread waiting;

  /** Records before the header, whose epochs are older. */
  private final LogEpochs before;

  @GuardedBy("this")
  private final Map<String, FollowerProgress> others = new LinkedHashMap<>();

  /** Those that ask whether this copy still leads. */
  @GuardedBy("this")
  private final ReadIndexRounds reads;

  @GuardedBy("this")
  private final LastGroup group = new LastGroup();

  @GuardedBy("this")
  private long committed;

  /** What was committed before time passed last. */
  @GuardedBy("this")
  private long committedBefore = Long.MAX_VALUE;

  @GuardedBy("this")
  private long now;

  /** When each was heard last. */
  @GuardedBy("this")
  private final Map<String, Long> heard = new HashMap<>();

  /** Written under the lock. */
  private volatile boolean hasEnded;

  /**
   * @param log which ends with the header of the layout's epoch
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

  /** The number behind the last record of the group that is being written. */
  synchronized long groupEnd() {
    return end();
  }

  /** The number behind the last record that is here or being written. */
  @GuardedBy("this")
  private long end() {
    return group.end(log.next());
  }

  @Override
  public synchronized void send(long first, List<PendingRecord> records) {
    // First all that may fail: a group under the numbers of another one would be sent.
    List<LogRecord> copied =
        records.stream().map(one -> new LogRecord(one.kind(), one.copyOfBody())).toList();
    group.begin(first, copied, now);
    others.forEach(this::shipUnlessUnderWay);
  }

  /**
   * {@inheritDoc}
   *
   * @throws LogDeposedException if the copy does not lead any more
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
            "%s does not lead the partition in epoch %d any more"
                .formatted(self, configuration.epoch()));
      }
      commit(next);
    }
  }

  /** Waits until a majority has all records below a number, or this copy leads no more. */
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

  /** Whether a majority has all records below a number, if this copy has. */
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
   * A voter's acknowledgement has arrived, which {@link #acknowledged} is told of as well, perhaps
   * later. Wakes the journal if a majority has what it waits for. Never waits.
   */
  public void heard(String from, ReplicaMessage.Acknowledged message) {
    AtomicLong below = held.get(from);
    if (below != null && message.epoch() == configuration.epoch() && message.isInEpoch()) {
      long unused = below.accumulateAndGet(message.next(), Math::max);
      wake();
    }
  }

  /** All records below a number are committed, as this copy has them too. */
  synchronized void commit(long next) {
    committed = Math.max(committed, next);
  }

  /** All records below it are committed. */
  public synchronized long committed() {
    return committed;
  }

  /** The number behind the last record of earlier epochs. */
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
    // One that has the record before it may have another one there, which can't be compared.
    boolean isUnknown = previous == LogEpochs.UNKNOWN && !other.beginsWith(from);
    if (from < log.first() || isUnknown) {
      fallBehind(name, other);
      return;
    }
    long recordsEpoch = from < header ? before.at(from) : configuration.epoch();
    long to = from < header ? before.endOfEpochAt(from, header) : end();
    List<LogRecord> records;
    try {
      // One without room is asked whether it has some.
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

  /** What it needs was dropped here, maybe a moment ago. */
  @GuardedBy("this")
  private void fallBehind(String name, FollowerProgress other) {
    other.fellBehind();
    host.send(name, new ReplicaMessage.Behind(configuration.epoch(), log.first()));
  }

  /**
   * A copy fetches a checkpoint: what follows that is kept for it.
   *
   * @param begins whether it asks what the checkpoint consists of
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

  /** A copy that is no voter gets the log, too. */
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
   * The learners that are heard, and have the log up to what was committed a moment ago, and room
   * for more: another voter may be removed for one of them.
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
   * Whether another voter is there, and has what was committed a moment ago, and so much room that
   * commits are not refused for want of it.
   */
  synchronized boolean isUpToDate(String voter) {
    return hasRoom(voter) && hasCommitted(voter);
  }

  /** Whether another copy is there, and has what was committed a moment ago. */
  synchronized boolean hasCommitted(String voter) {
    FollowerProgress other = others.get(voter);
    return other != null && other.hasInEpoch(committedBefore) && !isSilent(voter);
  }

  /** Whether another voter was heard just now, follows, and has room for more. */
  synchronized boolean isNear(String voter) {
    FollowerProgress other = others.get(voter);
    return other != null
        && heldBy(voter) > 0
        && other.room() != LogSpace.NONE
        && now - heard.getOrDefault(voter, now) <= LATELY_NANOS;
  }

  /** Whether another voter is near, and has all that this copy has, as far as is heard. */
  synchronized boolean hasAll(String voter) {
    return isNear(voter) && heldBy(voter) >= end();
  }

  /** Below which number another voter has everything, in this epoch; 0 if that is not known. */
  private long heldBy(String voter) {
    AtomicLong below = held.get(voter);
    return below == null ? 0 : below.get();
  }

  /** Whether another copy has so much room that commits are not refused for want of it. */
  synchronized boolean hasRoom(String voter) {
    FollowerProgress other = others.get(voter);
    return other != null && other.room() == LogSpace.ENOUGH;
  }

  /** What is known of the other copies. */
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

  /** Whether a voter was not heard for so long that it may be gone. */
  synchronized boolean isSilent(String voter) {
    return now - heard.getOrDefault(voter, now) > Election.SILENCE_NANOS;
  }

  /** A voter has the leader's log below a number. */
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

  /** What is under way to another copy was dropped: it is sent again at the next tick. */
  public synchronized void refused(String to) {
    FollowerProgress other = others.get(to);
    if (other != null) {
      other.nothingIsUnderWay();
    }
  }

  /**
   * A voter does not have what comes before a group: goes back to the last record at which both
   * logs agree. One that lacks what it had acknowledged has an older disk, and gets nothing.
   */
  synchronized void differs(String from, ReplicaMessage.Differs message) {
    FollowerProgress other = others.get(from);
    if (other == null) {
      return;
    }
    heard.put(from, now);
    other.differs(message.epochs().starts().get(0).first());
    if (isLearner(from) && message.next() < other.held()) {
      // Another copy of that name, which was deleted meanwhile: it counts for nothing.
      other.beginsAnew();
    }
    if (other.goesBack(agreed(message.next(), message.epochs()))) {
      ship(from, other);
    }
  }

  /**
   * A copy may have lost the end of its log: what it had acknowledged does not mean any more that
   * it has it.
   *
   * @param next the number behind its last record
   * @return the number behind the last record here, also one that is being written
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

  /** A voter has promised no later epoch. */
  void confirmed(String from, long round) {
    List<CompletableFuture<Boolean>> done;
    synchronized (this) {
      heard.put(from, now);
      done = reads.confirmed(from, round);
    }
    done.forEach(one -> one.complete(true));
  }

  /** What is heard from now on is heard at this time. */
  synchronized void passed(long nanos) {
    now = nanos;
  }

  /** Time passes: every voter hears of the leader, and what was lost is sent again. */
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
          // A large group may take long: the follower hears of the leader meanwhile.
          if (!isQuiet || reads.isAsked(name)) {
            reads.ask(name);
          }
        });
  }

  /** One that is large, and not with the network yet, is not read again to be dropped. */
  @GuardedBy("this")
  private boolean mayBeLost(String name, FollowerProgress other) {
    return other.hasWaited(REPEAT_NANOS, now) && !host.isSending(name);
  }

  /** Whether a group was not written here for so long that the disk seems to hang. */
  synchronized boolean isStuck(long nanos) {
    return group.isStuck(nanos);
  }

  /** Since when no majority was heard, in nanoseconds. */
  synchronized long silence(long nanos) {
    List<Long> times = new ArrayList<>();
    for (String voter : configuration.voters()) {
      times.add(heard.getOrDefault(voter, nanos));
    }
    Collections.sort(times);
    // So many are at or above it that they are a majority.
    return nanos - times.get((times.size() - 1) / 2);
  }

  /** The copy does not lead any more: whoever waits is told. */
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
