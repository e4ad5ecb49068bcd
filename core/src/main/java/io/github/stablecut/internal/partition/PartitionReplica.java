package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ConfigurationRegister;
import io.github.stablecut.internal.replica.FollowerStatus;
import io.github.stablecut.internal.replica.LogEnd;
import io.github.stablecut.internal.replica.LogReplicator;
import io.github.stablecut.internal.replica.Replica;
import io.github.stablecut.internal.replica.ReplicaHost;
import io.github.stablecut.internal.replica.ReplicaInvariantException;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.thread.Backoff;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.journal.LogSpace;
import io.github.stablecut.log.Log;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A copy of a partition: while it follows, a journal that a leader fills, and the state to which
 * what is committed is applied; while it leads, a {@link Partition}, which is made of both. A
 * thread of its own, {@code replica-N}, takes messages of other copies one after the other, and the
 * time. Thread-safe.
 *
 * <p>A copy that can't go on, as its disk has failed or is full, takes part in nothing; it is
 * opened again after a while, as after a restart, and again if that fails. Only one that is broken,
 * or has run out of memory, waits for the restart.
 */
public final class PartitionReplica implements AutoCloseable {
  private static final Logger LOG = Log.of(PartitionReplica.class);

  /** Four times a second every copy hears of the leader. */
  private static final long TICK_NANOS = 250_000_000;

  /** So long records are applied at most before it is looked what else has happened. */
  private static final long APPLYING_NANOS = 100_000_000;

  /** So long after a failure it is opened again; twice as long after the next. */
  private static final long PAUSE_NANOS = 2_000_000_000;

  /** Its thread does something more often, unless it waits for its disk, in real time. */
  private static final long HANGS_NANOS = 3_000_000_000L;

  private final String name;
  private final PartitionOptions options;
  private final VoteStorage promises;
  private final ConfigurationRegister register;
  private final ReplicaContext place;
  private final ReplicaTiming clock;
  private final FaultLog faults = new FaultLog();
  private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();

  /** Made before it is needed: there may be no memory left to say why. */
  private final Optional<String> failed;

  private final SupervisedThread thread;
  private volatile VoteState kept;
  private volatile ReplicaInbox inbox = new ReplicaInbox();
  private volatile Replica replica;

  /** Confined to the copy's thread. */
  private final ReplicaCheckpoints checkpoints;

  /** Null before it was opened for the first time. */
  private volatile @Nullable PartitionLog log;

  private volatile @Nullable Partition partition;

  /** What it ships while it leads. */
  private volatile @Nullable LogReplicator replicator;

  private volatile ReplicaStatus status;

  /** When its thread has finished something last, as of {@link System#nanoTime}. */
  private volatile long worked = System.nanoTime();

  private volatile Optional<String> failure = Optional.empty();
  private volatile boolean isRetiring;
  private volatile boolean isClosing;

  /** What it has closed before others lead; null if nothing. */
  private volatile @Nullable Partition handedOver;

  private final StepDown resignation;

  private volatile boolean isClosed;

  /** Whether its thread has ended. */
  private volatile boolean isOver;

  /** The nodes that are to have copies. */
  private volatile List<String> placed;

  private volatile List<FollowerStatus> followers = List.of();

  private final FollowerReads reads;

  /** The last time that it has told of while it led. */
  private final AtomicLong passed = new AtomicLong();

  private volatile LogSpace room = LogSpace.ENOUGH;

  /** Whether the log is open, and not a partition's. */
  private volatile boolean ownsLog;

  /** What is committed and perhaps not applied yet. Confined to the copy's thread. */
  private long committed = 1;

  /** Whether that is applied. Confined to the copy's thread. */
  private boolean isApplied = true;

  /** When time has passed last. Confined to the copy's thread. */
  private long ticked;

  /** Confined to the copy's thread. */
  private boolean isTickQueued;

  /** Whether the leader is to be asked, and the copy's thread has not done so yet. */
  private final AtomicBoolean isAskQueued = new AtomicBoolean();

  /** Whether it has failed, and may be opened again. Confined to the copy's thread. */
  private boolean mayReopen;

  private long failedAt;
  private final Backoff pause = new Backoff(PAUSE_NANOS);

  /**
   * Opens a copy, and starts its thread. One that can't be opened has failed.
   *
   * @param self its name among the voters
   * @param configuration its voters; newer ones come from the register
   */
  public static PartitionReplica start(
      String self,
      Configuration configuration,
      PartitionOptions options,
      VoteStorage promises,
      ConfigurationRegister register,
      ReplicaContext place) {
    PartitionReplica opened =
        new PartitionReplica(self, configuration, options, promises, register, place);
    opened.thread.start();
    return opened;
  }

  private PartitionReplica(
      String self,
      Configuration configuration,
      PartitionOptions options,
      VoteStorage promises,
      ConfigurationRegister register,
      ReplicaContext place) {
    this.name = self;
    this.placed = configuration.voters().stream().map(Configuration::nodeOf).toList();
    this.options = options;
    this.promises = promises;
    this.failed = Optional.of(failure("is started again", "see the log of the node"));
    this.register = register;
    this.place = place;
    this.clock = place.clock();
    this.ticked = clock.nanoTime() - TICK_NANOS;
    this.checkpoints = new ReplicaCheckpoints(options, place);
    this.kept = VoteState.none(promises);
    this.replica = newReplica(configuration);
    this.resignation = new StepDown(place, led -> partition == led, this::run);
    this.reads =
        new FollowerReads(options.local(), this::passTime, this::askLater, System::nanoTime);
    this.status = newStatus();
    this.thread = new SupervisedThread("replica-" + options.number(), this::work, faults);
    try {
      open();
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private Replica newReplica(Configuration known) {
    Replica made =
        new Replica(
            name,
            known,
            new ReplicaJournalLog(() -> log().journal(), this::firstRecord, kept),
            new Host(),
            clock.nanoTime());
    made.place(placed);
    if (isRetiring) {
      made.retire();
    }
    return made;
  }

  private long firstRecord() {
    PartitionLog opened = log;
    return opened == null ? 1 : opened.journal().firstRecord();
  }

  private PartitionLog log() {
    PartitionLog opened = log;
    if (opened == null) {
      throw new IllegalStateException("the log of the replica is not open");
    }
    return opened;
  }

  private void open() {
    kept = VoteState.read(promises);
    openLog();
    inbox = new ReplicaInbox();
    // What the register has said holds.
    replica = newReplica(replica.configuration());
    committed = 1;
    isApplied = true;
    isTickQueued = false;
    isAskQueued.set(false);
    failure = Optional.empty();
    status = newStatus();
  }

  /** Has the copy's thread ask the leader up to where everything is here. Never waits. */
  private void askLater() {
    // Once only: the thread may wait for a disk that hangs, and who reads asks again and again.
    if (!isAskQueued.getAndSet(true)) {
      try {
        run(
            () -> {
              isAskQueued.set(false);
              replica.requestCompleteTime();
            });
      } catch (RuntimeException | Error e) {
        isAskQueued.set(false);
        throw e;
      }
    }
  }

  private void openLog() {
    PartitionLog opened =
        PartitionLog.follow(options, place.journal(), place.checkpoints(), this::tailDropped);
    log = opened;
    ownsLog = true;
    reads.follow(opened, checkpoints.follow(opened));
  }

  /**
   * The log is about to be opened without what may have been acknowledged. That is durable before
   * the end of the log is: later it looks whole.
   */
  private void tailDropped() {
    kept.shorten();
    LOG.warn(
        "the replica {} of partition {} may have lost what it has acknowledged, and has no vote"
            + " until it has all of a leader's log",
        name,
        options.number());
  }

  private void closeLog() {
    reads.end();
    if (ownsLog) {
      ownsLog = false;
      checkpoints.end();
      log().close();
    }
  }

  /** Goes on with a checkpoint of the leader instead of its own log, as after a restart. */
  private void install(CheckpointFetch fetched) {
    if (!replica.mayReplace(fetched.end(), fetched.first())) {
      checkpoints.drop();
      return;
    }
    replica.close();
    checkpoints.take();
    closeLog();
    place.install(fetched.first(), fetched.firstEpoch());
    LOG.info(
        "the replica of partition {} goes on behind a checkpoint of its leader, with record {}",
        options.number(),
        fetched.first());
    open();
  }

  /** As {@link #receive(String, ReplicaMessage, Runnable)}, of a message that nobody counts. */
  public void receive(String from, ReplicaMessage message) {
    receive(from, message, () -> {});
  }

  /**
   * A message of another copy has arrived; it is lost if too many wait. Never waits.
   *
   * @param done called once it is handled, or lost: until then it takes memory
   */
  public void receive(String from, ReplicaMessage message, Runnable done) {
    LogReplicator leading = replicator;
    if (leading != null && message instanceof ReplicaMessage.Acknowledged acknowledged) {
      // The journal need not wait for this copy's thread.
      leading.countAcknowledgement(from, acknowledged);
    }
    ReplicaInbox admitting = inbox;
    // Made before it counts, so that it counts no longer than it is there.
    Arrived arrived = new Arrived(from, message, admitting, done);
    if (failure.isPresent() || !admitting.admits(message)) {
      arrived.drop();
      return;
    }
    try {
      run(arrived);
    } catch (RuntimeException | Error e) {
      admitting.taken(message);
      arrived.drop();
      throw e;
    }
    if (isOver) {
      // Its thread may have ended before it came.
      arrived.drop();
    }
  }

  /** The node of another copy has dropped a message to it, as it has no memory now. Never waits. */
  public void refused(String to) {
    // What is shipped is locked while the disk is read.
    run(
        () -> {
          LogReplicator leading = replicator;
          if (leading != null) {
            leading.messageDropped(to);
          }
        });
  }

  /** A message that waits for the copy's thread. */
  private final class Arrived implements Runnable {
    private final String from;
    private final ReplicaMessage message;
    private final ReplicaInbox admitting;
    private final Runnable done;
    private final AtomicBoolean isDropped = new AtomicBoolean();

    Arrived(String from, ReplicaMessage message, ReplicaInbox admitting, Runnable done) {
      this.from = from;
      this.message = message;
      this.admitting = admitting;
      this.done = done;
    }

    @Override
    public void run() {
      try {
        admitting.taken(message);
        replica.receive(from, message, clock.nanoTime());
      } finally {
        drop();
      }
    }

    /** It takes no memory any more. Idempotent. */
    void drop() {
      if (!isDropped.getAndSet(true)) {
        done.run();
      }
    }
  }

  /** What waits is not done any more. */
  private void dropEvents() {
    for (Runnable event = events.poll(); event != null; event = events.poll()) {
      drop(event);
    }
  }

  private static void drop(Runnable event) {
    if (event instanceof Arrived arrived) {
      arrived.drop();
    }
  }

  /** From now on these nodes are to have copies, as of {@link Replica#place}. */
  public void place(List<String> nodes) {
    placed = List.copyOf(nodes);
    run(() -> replica.place(placed));
  }

  /**
   * What its newest checkpoint holds, to be compared with what other copies have; empty if it takes
   * part in nothing. Takes as long as reading all of it.
   *
   * @param progress hears how many objects were read so far, and may throw
   */
  public Optional<ReplicaDigest> digest(LongConsumer progress) {
    PartitionLog opened = log;
    if (opened == null || failure.isPresent()) {
      return Optional.empty();
    }
    try (CheckpointView view = opened.checkpoints().view()) {
      return Optional.of(ReplicaDigest.of(view, opened.versions().states(), progress));
    }
  }

  /**
   * The time of the data centre up to which everything is known to be here, without waiting for
   * those that lead: about a quarter of a second ago, unless they say nothing.
   *
   * @param contained is waited for, so long at most; the time may be earlier then, or 0
   * @return empty if none is known
   */
  public OptionalLong near(long contained, Duration atMost) {
    return failure.isPresent() ? OptionalLong.empty() : reads.near(contained, atMost.toNanos());
  }

  /**
   * Reads from the copy while it follows.
   *
   * @param use makes something of its objects at the snapshot
   * @return empty if the snapshot is not known here to be complete, or not kept
   */
  public <T> Optional<T> read(VectorClock snapshot, Function<SnapshotReads, T> use) {
    return reads.read(snapshot, use);
  }

  private long passTime() {
    Partition leading = partition;
    if (leading == null || isClosing) {
      return 0;
    }
    long time = options.local().timeIn(leading.passTime());
    long unused = passed.accumulateAndGet(time, Math::max);
    return time;
  }

  /** What it does now. */
  public ReplicaStatus status() {
    long nothing = System.nanoTime() - worked;
    ReplicaStatus last = status;
    return nothing < HANGS_NANOS || last.failure().isPresent() || isOver
        ? last
        : last.stopped(
            "the replica of partition %d has done nothing for %d s: its disk hangs, or it reads its files"
                .formatted(number(), TimeUnit.NANOSECONDS.toSeconds(nothing)));
  }

  private void run(Runnable event) {
    boolean unused = events.add(event);
  }

  private void work() {
    while (!isClosed) {
      worked = System.nanoTime();
      try {
        if (failure.isPresent()) {
          drop(next(TICK_NANOS));
          reopen();
        } else {
          takeNext();
        }
      } catch (Throwable e) {
        if (isClosing) {
          // Who closes it waits for a journal that waits for others.
          replica.close();
        } else {
          fail(e);
        }
      }
    }
  }

  private void takeNext() {
    next(isApplied ? ticked + TICK_NANOS - clock.nanoTime() : 0).run();
    if (!isTickQueued && clock.nanoTime() - ticked >= TICK_NANOS) {
      // Behind what has arrived: a leader whose messages wait here is not silent.
      isTickQueued = true;
      run(this::tick);
    }
    if (partition == null) {
      apply();
    }
    if (resignation.isAwaited() && (replica.isDeposed() || replica.isDeclined())) {
      resignation.over(replica.isDeposed());
    }
    checkpoints.complete().ifPresent(this::install);
    status = newStatus();
  }

  private void reopen() {
    if (mayReopen && !isClosing && pause.isOver(clock.nanoTime())) {
      mayReopen = false;
      dropEvents();
      open();
      LOG.info("the replica of partition {} is open again", options.number());
    }
  }

  private void apply() {
    boolean wasBehind = !isApplied;
    isApplied = log().applyBelow(committed, APPLYING_NANOS);
    reads.applied(log().applied());
    checkpoints.look(replica.role() == Replica.Role.FOLLOWING);
    if (isApplied && wasBehind) {
      replica.applied();
    }
  }

  /** The register has answered, which does not matter any more after a failure. */
  private void answered(Replica asking, Runnable answer) {
    run(
        () -> {
          if (asking == replica) {
            answer.run();
          }
        });
  }

  private Runnable next(long nanos) {
    try {
      Runnable event = events.poll(clock.toWait(Math.max(0, nanos)), TimeUnit.NANOSECONDS);
      return event == null ? () -> {} : event;
    } catch (InterruptedException e) {
      return () -> {};
    }
  }

  private void tick() {
    isTickQueued = false;
    ticked = clock.nanoTime();
    Partition leading = partition;
    if (leading != null && leading.failure().isPresent()) {
      throw new IllegalStateException(leading.failure().get());
    }
    checkpoints.tick();
    replica.tick(clock.nanoTime());
    followers = replica.followers();
    refreshDiskSpace();
  }

  private void refreshDiskSpace() {
    LogSpace before = room;
    log().journal().refreshDiskSpace();
    room = log().journal().room(0);
    if (room != LogSpace.ENOUGH && before == LogSpace.ENOUGH) {
      LOG.error(
          "the disk of the replica of partition {} has less free than the reserve: make room; with"
              + " less than half of the reserve it takes no more records",
          number());
    } else if (room == LogSpace.ENOUGH && before != LogSpace.ENOUGH) {
      LOG.info("the replica of partition {} has room on its disk again", number());
    }
  }

  private int number() {
    return options.number();
  }

  private ReplicaStatus newStatus() {
    PartitionLog opened = log;
    return new ReplicaStatus(
        name,
        replica.role(),
        replica.configuration(),
        replica.committed(),
        firstRecord(),
        opened == null ? 1 : opened.journal().nextRecord(),
        replica.isComplete(),
        replica.isUpToDate() && room == LogSpace.ENOUGH && failure.isEmpty(),
        replica.isLed() && failure.isEmpty(),
        followers,
        room,
        kept.shortened() != 0,
        failure);
  }

  /** Takes part in nothing from now on; another copy takes over. */
  private void fail(Throwable cause) {
    mayReopen = false;
    failure = failed;
    reads.end();
    replica.close();
    status = newStatus();
    // After an error the partition may not be closed, and uses the files.
    boolean isForGood = cause instanceof Error || cause instanceof ReplicaInvariantException;
    tellFailure(isForGood ? "is started again" : "is opened again", cause);
    if (!isForGood && closeFailed()) {
      long now = clock.nanoTime();
      if (now - failedAt > 2 * Backoff.MAX_NANOS) {
        pause.end();
      }
      pause.begin(now);
      failedAt = now;
      mayReopen = true;
    }
  }

  /** Returns whether it may be opened again. */
  private boolean closeFailed() {
    try {
      closeLog();
      return true;
    } catch (RuntimeException e) {
      LOG.info("the failed replica of partition {} was closed: {}", options.number(), e.toString());
      return true;
    } catch (Error e) {
      tellFailure("is started again", e);
      return false;
    }
  }

  private void tellFailure(String until, Throwable cause) {
    failure = Optional.of(failure(until, cause));
    LOG.error("{}", failure.get(), cause);
    status = newStatus();
  }

  private String failure(String until, Object cause) {
    return "the replica of partition %d takes part in nothing until it %s: %s"
        .formatted(options.number(), until, cause);
  }

  /** What the state machine asks for, on the copy's thread. */
  private final class Host implements ReplicaHost {
    @Override
    public void send(String to, ReplicaMessage message) {
      place.send(to, message);
    }

    @Override
    public boolean isSending(String to) {
      return place.isSending(to);
    }

    @Override
    public void readConfiguration() {
      Replica asking = replica;
      handOn(asking, register.read(options.number()), asking::configurationRead);
    }

    @Override
    public void replaceConfiguration(Configuration next) {
      Replica asking = replica;
      handOn(
          asking,
          register.replace(options.number(), next),
          hasWon -> asking.replaced(next, hasWon));
    }

    private <T> void handOn(Replica asking, CompletionStage<T> answer, Consumer<T> to) {
      var unused =
          answer.whenComplete(
              (told, failed) ->
                  answered(
                      asking,
                      () -> {
                        if (failed == null) {
                          to.accept(told);
                        } else {
                          asking.registerFailed();
                        }
                      }));
    }

    @Override
    public void committed(long next) {
      committed = next;
    }

    @Override
    public boolean apply(long next) {
      committed = next;
      isApplied = log().applyBelow(next, APPLYING_NANOS);
      return isApplied;
    }

    @Override
    public void lead(Configuration configuration, LogReplicator replicator) {
      long epoch = configuration.epoch();
      reads.end();
      checkpoints.lead();
      log().journal().setReplicas(replicator);
      PartitionReplica.this.replicator = replicator;
      ownsLog = false;
      Partition leading = Partition.of(options, place.context(epoch), log());
      partition = leading;
      leading.start();
      place.leads(leading, epoch);
    }

    @Override
    public void requestTransfer(String node) {
      place.leave(node);
    }

    @Override
    public boolean mayChangeVoters() {
      Partition leading = partition;
      return leading != null && leading.hasTold();
    }

    @Override
    public void fetchCheckpoint(String leader, long epoch, LogEnd end) {
      checkpoints.fetch(leader, epoch, end);
    }

    @Override
    public void serveCheckpoint(String to, ReplicaMessage.CheckpointRequest asked) {
      checkpoints.serve(log(), to, asked);
    }

    @Override
    public void checkpointReceived(String from, ReplicaMessage.CheckpointListing files) {
      checkpoints.fetched(from, files);
    }

    @Override
    public void checkpointReceived(String from, ReplicaMessage.FileChunk part) {
      checkpoints.fetched(from, part);
    }

    @Override
    public long completeTime() {
      return PartitionReplica.this.passTime();
    }

    @Override
    public void complete(long time, long next) {
      reads.told(time, next);
    }

    @Override
    public boolean stopLeading() {
      if (isClosing) {
        // Another thread closes the partition, which has the log until then.
        return false;
      }
      closeLeading();
      if (failure.isEmpty()) {
        openLog();
        isApplied = false;
        if (passed.get() > 0) {
          // What it has told as the leader holds, whoever leads next.
          reads.told(passed.get(), replica.committed());
        }
      }
      return true;
    }
  }

  private void closeLeading() {
    Partition leading = partition;
    if (leading != null) {
      // What is begun may take long, and this thread waits for it.
      leading.maintenance().abandon();
    }
    checkpoints.end();
    replicator = null;
    partition = null;
    if (leading != null) {
      try {
        resignation.end(leading);
      } catch (RuntimeException e) {
        // What it had not committed when it was deposed is not committed now.
        LOG.info("partition {} was closed: {}", options.number(), e.toString());
      }
    }
  }

  /**
   * Has the copy on a node lead instead of this one, which commits what it was given, and follows.
   * If that one does not have everything in a moment, another one leads that has.
   *
   * @param atMost waits so long until the other one is about to lead
   * @return whether another one is, or it had ceased to lead before; if not, nobody may lead yet
   */
  public boolean giveWay(String node, Duration atMost) {
    Partition leading = partition;
    return leading == null
        || isClosing
        || resignation.resign(leading, () -> replica.transferLeadershipTo(node), atMost);
  }

  /**
   * The node is about to end: the copy begins to lead nothing from now on, as {@link
   * Replica#retire}.
   */
  public void retire() {
    isRetiring = true;
    run(() -> replica.retire());
  }

  /**
   * Ends to lead, before it is closed: commits what it was given, and has another copy lead at
   * once. Without one that has everything, another one leads later.
   *
   * @param atMost waits so long until the other one is about to lead
   */
  public void handOver(Duration atMost) {
    Partition leading = partition;
    if (leading == null || leading == handedOver) {
      return;
    }
    isClosing = true;
    handedOver = leading;
    boolean unused = resignation.resign(leading, () -> replica.transferLeadership(), atMost);
  }

  /**
   * Closes it. A leader first commits what it was given; another copy leads when nobody has heard
   * of this one for a while.
   */
  @Override
  public void close() {
    isClosing = true;
    Partition leading = partition;
    try {
      if (leading != null && leading != handedOver) {
        resignation.end(leading);
      }
    } finally {
      isClosed = true;
      run(() -> {});
      thread.join();
      isOver = true;
      dropEvents();
      // One that has begun to lead meanwhile waits for nobody.
      replica.close();
      Partition late = partition;
      checkpoints.end();
      if (late != null && late != leading) {
        late.close();
      } else {
        closeLog();
      }
    }
  }
}
