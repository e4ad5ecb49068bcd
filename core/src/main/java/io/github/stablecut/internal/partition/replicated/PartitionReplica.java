package io.github.stablecut.internal.partition.replicated;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.SnapshotReads;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
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
import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.journal.segment.LogSpace;
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
 * A replica of a partition. While it follows, it is a journal that the leader fills, and the state
 * to which committed records are applied. While it leads, a {@link Partition} is built from both.
 * Its thread, {@code replica-N}, handles messages of other replicas and the passing of time.
 * Thread-safe.
 *
 * <p>A replica that fails because its disk is faulty or full takes part in nothing. It is reopened
 * after a while, as after a restart, and again if that fails. Only a replica that violates an
 * invariant or has run out of memory waits for a restart.
 */
public final class PartitionReplica implements AutoCloseable {
  private static final Logger LOG = Log.of(PartitionReplica.class);

  /** Interval of heartbeats. */
  private static final long TICK_NANOS = 250_000_000;

  /** Maximum time spent applying records before handling other events. */
  private static final long MAX_APPLY_NANOS = 100_000_000;

  /** Delay before a failed replica is reopened; it doubles with each further failure. */
  private static final long REOPEN_NANOS = 2_000_000_000;

  /** Its thread is never idle for this long, in real time, unless it waits for its disk. */
  private static final long HANG_NANOS = 3_000_000_000L;

  private final String name;
  private final PartitionOptions options;
  private final VoteStorage voteStorage;
  private final ConfigurationRegister register;
  private final ReplicaContext place;
  private final ReplicaExecution execution;
  private final ReplicaTiming clock;
  private final FaultLog faults = new FaultLog();
  private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();

  /** Allocated in advance: after a failure there may be no memory for a message. */
  private final Optional<String> failed;

  private final SupervisedThread thread;
  private volatile VoteState voteState;
  private volatile ReplicaInbox inbox = new ReplicaInbox();
  private volatile Replica replica;

  /** Confined to the replica's thread. */
  private final ReplicaCheckpoints checkpoints;

  /** Null before the first opening. */
  private volatile @Nullable PartitionLog log;

  private volatile @Nullable Partition partition;

  /** Replicates its log while it leads. */
  private volatile @Nullable LogReplicator replicator;

  private volatile ReplicaStatus status;

  /**
   * The time at which its thread last finished an event, as of {@link
   * ReplicaTiming#unscaledNanoTime}.
   */
  private volatile long workedAtNanos;

  private volatile Optional<String> failure = Optional.empty();
  private volatile boolean isRetiring;
  private volatile boolean isClosing;

  /** The partition that it closed to transfer its leadership; null if none. */
  private volatile @Nullable Partition transferredPartition;

  private final StepDown stepDown;

  private volatile boolean isClosed;

  /** Whether its thread has ended. */
  private volatile boolean hasEnded;

  /** The nodes that are to have replicas. */
  private volatile List<String> wantedNodes;

  private volatile List<FollowerStatus> followers = List.of();

  private final FollowerReads reads;

  /** The last complete time that it reported while it led. */
  private final AtomicLong lastCompleteTime = new AtomicLong();

  private volatile LogSpace room = LogSpace.ENOUGH;

  /** Whether the log is open and not owned by a partition. */
  private volatile boolean ownsLog;

  /** The committed watermark. Confined to the replica's thread. */
  private long committed = 1;

  /** Whether all committed records are applied. Confined to the replica's thread. */
  private boolean isApplied = true;

  /** The time of the last tick. Confined to the replica's thread. */
  private long tickedAtNanos;

  /** Confined to the replica's thread. */
  private boolean isTickQueued;

  /** Whether a request to the leader is queued on the replica's thread. */
  private final AtomicBoolean isAskQueued = new AtomicBoolean();

  /** Whether it has failed and may be reopened. Confined to the replica's thread. */
  private boolean mayReopen;

  private long failedAtNanos;
  private final Backoff reopenBackoff = new Backoff(REOPEN_NANOS);

  /**
   * Opens a replica and starts its thread, if {@link ReplicaExecution#hasThreads}. If opening
   * fails, the replica starts as failed.
   *
   * @param self its name among the voters
   * @param configuration its voters; newer ones come from the register
   */
  public static PartitionReplica start(
      String self,
      Configuration configuration,
      PartitionOptions options,
      VoteStorage voteStorage,
      ConfigurationRegister register,
      ReplicaContext place) {
    PartitionReplica opened =
        new PartitionReplica(self, configuration, options, voteStorage, register, place);
    if (opened.execution.hasThreads()) {
      opened.thread.start();
    }
    return opened;
  }

  private PartitionReplica(
      String self,
      Configuration configuration,
      PartitionOptions options,
      VoteStorage voteStorage,
      ConfigurationRegister register,
      ReplicaContext place) {
    this.name = self;
    this.wantedNodes = configuration.voters().stream().map(Configuration::nodeOf).toList();
    this.options = options;
    this.voteStorage = voteStorage;
    this.failed = Optional.of(failure("is restarted", "see the log of the node"));
    this.register = register;
    this.place = place;
    this.execution = place.execution();
    this.clock = place.clock();
    this.workedAtNanos = clock.unscaledNanoTime();
    this.tickedAtNanos = clock.nanoTime() - TICK_NANOS;
    this.checkpoints = new ReplicaCheckpoints(options, place);
    this.voteState = VoteState.none(voteStorage);
    this.replica = newReplica(configuration);
    this.stepDown = new StepDown(place, led -> partition == led, this::run, execution.newMutex());
    this.reads =
        new FollowerReads(
            options.local(),
            this::leaderCompleteTime,
            this::requestCompleteTimeLater,
            clock::unscaledNanoTime);
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
            new ReplicaJournalLog(() -> log().journal(), this::firstRecord, voteState),
            new Host(),
            clock.nanoTime());
    made.place(wantedNodes);
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
    voteState = VoteState.read(voteStorage);
    openLog();
    inbox = new ReplicaInbox();
    // The configuration from the register still holds.
    replica = newReplica(replica.configuration());
    committed = 1;
    isApplied = true;
    isTickQueued = false;
    isAskQueued.set(false);
    failure = Optional.empty();
    status = newStatus();
  }

  /** Queues a request to the leader for a complete time on the replica's thread. Never blocks. */
  private void requestCompleteTimeLater() {
    // At most one is queued: the thread may wait for a hanging disk while readers keep asking.
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
   * The log is about to be opened without records that may have been acknowledged. The loss is
   * noted durably before the new end of the log is durable: afterwards the log looks complete.
   */
  private void tailDropped() {
    voteState.shorten();
    LOG.warn(
        "the replica {} of partition {} may have lost records that it acknowledged; its vote does"
            + " not count until it has recovered a leader's whole log",
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

  /** Replaces its log by a checkpoint of the leader, as after a restart. */
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
        "the replica of partition {} installed a checkpoint of its leader, and continues with record {}",
        options.number(),
        fetched.first());
    open();
  }

  /**
   * Like {@link #receive(String, ReplicaMessage, Runnable)}, for a message whose memory is not
   * accounted for.
   */
  public void receive(String from, ReplicaMessage message) {
    receive(from, message, () -> {});
  }

  /**
   * Handles a message of another replica, or drops it if too many wait. Never blocks.
   *
   * @param done called once the message is handled or dropped, so that its memory is released
   */
  public void receive(String from, ReplicaMessage message, Runnable done) {
    LogReplicator leading = replicator;
    if (leading != null && message instanceof ReplicaMessage.Acknowledged acknowledged) {
      // The journal need not wait for this replica's thread.
      leading.countAcknowledgement(from, acknowledged);
    }
    ReplicaInbox admitting = inbox;
    // Allocated before the message is admitted: a failed allocation must not leave it counted.
    QueuedMessage queued = new QueuedMessage(from, message, admitting, done);
    if (failure.isPresent() || !admitting.admits(message)) {
      queued.drop();
      return;
    }
    try {
      run(queued);
    } catch (RuntimeException | Error e) {
      admitting.taken(message);
      queued.drop();
      throw e;
    }
    if (hasEnded) {
      // The thread may have ended before the message was queued.
      queued.drop();
    }
  }

  /** Another replica's node dropped a message to it for lack of memory. Never blocks. */
  public void refused(String to) {
    // The log replicator is locked while it reads the disk, so this runs on the replica's thread.
    run(
        () -> {
          LogReplicator leading = replicator;
          if (leading != null) {
            leading.messageDropped(to);
          }
        });
  }

  /** A message queued for the replica's thread. */
  private final class QueuedMessage implements Runnable {
    private final String from;
    private final ReplicaMessage message;
    private final ReplicaInbox admitting;
    private final Runnable done;
    private final AtomicBoolean isDropped = new AtomicBoolean();

    QueuedMessage(String from, ReplicaMessage message, ReplicaInbox admitting, Runnable done) {
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

    /** Releases the message. Idempotent. */
    void drop() {
      if (!isDropped.getAndSet(true)) {
        done.run();
      }
    }
  }

  /** Drops all queued events. */
  private void dropEvents() {
    for (Runnable event = events.poll(); event != null; event = events.poll()) {
      drop(event);
    }
  }

  private static void drop(Runnable event) {
    if (event instanceof QueuedMessage queued) {
      queued.drop();
    }
  }

  /** Sets the nodes that are to have replicas, as of {@link Replica#place}. */
  public void place(List<String> nodes) {
    wantedNodes = List.copyOf(nodes);
    run(() -> replica.place(wantedNodes));
  }

  /**
   * A digest of its newest checkpoint, to compare replicas; empty if it has failed. Takes as long
   * as reading the whole checkpoint.
   *
   * @param progress receives the number of objects read so far, and may throw
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
   * The time of the data centre up to which this replica is known to be complete, without a round
   * trip to the leader. It is at most a quarter of a second old, unless the leader is silent.
   *
   * @param contained a time to wait for, for {@code atMost}; the result may be earlier, or 0
   * @return empty if no time is known
   */
  @CanIgnoreReturnValue
  public OptionalLong near(long contained, Duration atMost) {
    return failure.isPresent() ? OptionalLong.empty() : reads.near(contained, atMost.toNanos());
  }

  /**
   * Reads from the replica while it follows.
   *
   * @param use computes a result from its objects at the snapshot
   * @return empty if the snapshot is not known to be complete here, or is truncated
   */
  public <T> Optional<T> read(VectorClock snapshot, Function<SnapshotReads, T> use) {
    return reads.read(snapshot, use);
  }

  private long leaderCompleteTime() {
    Partition leading = partition;
    if (leading == null || isClosing) {
      return 0;
    }
    long time = options.local().timeIn(leading.passTime());
    lastCompleteTime.accumulateAndGet(time, Math::max);
    return time;
  }

  /** The current status. */
  public ReplicaStatus status() {
    long nothing = clock.unscaledNanoTime() - workedAtNanos;
    ReplicaStatus last = status;
    return nothing < HANG_NANOS || last.failure().isPresent() || hasEnded
        ? last
        : last.stopped(
            "the replica of partition %d has handled no event for %d s: its disk hangs, or it is reading its files"
                .formatted(number(), TimeUnit.NANOSECONDS.toSeconds(nothing)));
  }

  private void run(Runnable event) {
    events.add(event);
  }

  private void work() {
    while (!isClosed) {
      handleNext();
    }
  }

  /**
   * Handles the queued events and the time that has passed. Only without threads: the caller's
   * thread then is the replica's.
   */
  public void handleEvents() {
    do {
      handleNext();
    } while (!isClosed && !events.isEmpty());
  }

  private void handleNext() {
    workedAtNanos = clock.unscaledNanoTime();
    try {
      if (failure.isPresent()) {
        drop(next(TICK_NANOS));
        reopen();
      } else {
        takeNext();
      }
    } catch (Throwable e) {
      if (isClosing) {
        // The closing thread waits for a journal that waits for other replicas; this releases
        // both.
        replica.close();
      } else {
        fail(e);
      }
    }
  }

  private void takeNext() {
    next(isApplied ? tickedAtNanos + TICK_NANOS - clock.nanoTime() : 0).run();
    if (!isTickQueued && clock.nanoTime() - tickedAtNanos >= TICK_NANOS) {
      // Queued after the messages that have arrived: a leader whose messages wait here is not
      // silent.
      isTickQueued = true;
      run(this::tick);
    }
    if (partition == null) {
      apply();
    }
    if (stepDown.isAwaited() && (replica.isDeposed() || replica.isDeclined())) {
      stepDown.over(replica.isDeposed());
    }
    checkpoints.complete().ifPresent(this::install);
    status = newStatus();
  }

  private void reopen() {
    if (mayReopen && !isClosing && reopenBackoff.isOver(clock.nanoTime())) {
      mayReopen = false;
      dropEvents();
      open();
      LOG.info("the replica of partition {} was reopened", options.number());
    }
  }

  private void apply() {
    boolean wasBehind = !isApplied;
    isApplied = log().applyBelow(committed, MAX_APPLY_NANOS, clock::unscaledNanoTime);
    reads.applied(log().applied());
    checkpoints.look(replica.role() == Replica.Role.FOLLOWING);
    if (isApplied && wasBehind) {
      replica.applied();
    }
  }

  /** Handles an answer of the register, unless the replica has failed since the request. */
  private void answered(Replica requester, Runnable answer) {
    run(
        () -> {
          if (requester == replica) {
            answer.run();
          }
        });
  }

  private Runnable next(long nanos) {
    try {
      long atMost = execution.hasThreads() ? clock.toWait(Math.max(0, nanos)) : 0;
      Runnable event = events.poll(atMost, TimeUnit.NANOSECONDS);
      return event == null ? () -> {} : event;
    } catch (InterruptedException e) {
      return () -> {};
    }
  }

  private void tick() {
    isTickQueued = false;
    tickedAtNanos = clock.nanoTime();
    Partition leading = partition;
    if (leading != null && leading.failure().isPresent()) {
      throw new IllegalStateException(leading.failure().get());
    }
    log()
        .checkpoints()
        .failure()
        .ifPresent(
            why -> {
              throw new IllegalStateException(why);
            });
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
          "the disk of the replica of partition {} has less free space than the reserve: free some;"
              + " below half of the reserve the replica accepts no more records",
          number());
    } else if (room == LogSpace.ENOUGH && before != LogSpace.ENOUGH) {
      LOG.info("the disk of the replica of partition {} has enough free space again", number());
    }
  }

  private int number() {
    return options.number();
  }

  private ReplicaStatus newStatus() {
    PartitionLog opened = log;
    return ReplicaStatus.builder(name, replica.role(), replica.configuration())
        .committed(replica.committed())
        .first(firstRecord())
        .next(opened == null ? 1 : opened.journal().nextRecord())
        .isComplete(replica.isComplete())
        .isUpToDate(replica.isUpToDate() && room == LogSpace.ENOUGH && failure.isEmpty())
        .isLed(replica.isLed() && failure.isEmpty())
        .followers(followers)
        .room(room)
        .isShortened(voteState.shortened() != 0)
        .failure(failure)
        .build();
  }

  /** Stops taking part; another replica takes over. */
  private void fail(Throwable cause) {
    mayReopen = false;
    failure = failed;
    reads.end();
    replica.close();
    status = newStatus();
    // After an Error the partition may still be open and use the files.
    boolean isForGood = cause instanceof Error || cause instanceof ReplicaInvariantException;
    reportFailure(isForGood ? "is restarted" : "is reopened", cause);
    if (!isForGood && closeFailed()) {
      long nowNanos = clock.nanoTime();
      if (nowNanos - failedAtNanos > 2 * Backoff.MAX_NANOS) {
        reopenBackoff.end();
      }
      reopenBackoff.begin(nowNanos);
      failedAtNanos = nowNanos;
      mayReopen = true;
    }
  }

  /**
   * Closes the log of a failed replica.
   *
   * @return whether the replica may be reopened
   */
  private boolean closeFailed() {
    try {
      closeLog();
      return true;
    } catch (RuntimeException e) {
      LOG.info("the failed replica of partition {} was closed: {}", options.number(), e.toString());
      return true;
    } catch (Error e) {
      reportFailure("is restarted", e);
      return false;
    }
  }

  private void reportFailure(String until, Throwable cause) {
    failure = Optional.of(failure(until, cause));
    LOG.error("{}", failure.get(), cause);
    status = newStatus();
  }

  private String failure(String until, Object cause) {
    return "the replica of partition %d takes part in nothing until it %s: %s"
        .formatted(options.number(), until, cause);
  }

  /** The environment of the state machine, on the replica's thread. */
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
      Replica requester = replica;
      forward(requester, register.read(options.number()), requester::configurationRead);
    }

    @Override
    public void replaceConfiguration(Configuration next) {
      Replica requester = replica;
      forward(
          requester,
          register.replace(options.number(), next),
          hasWon -> requester.replaced(next, hasWon));
    }

    private <T> void forward(Replica requester, CompletionStage<T> answer, Consumer<T> to) {
      FireAndForget.whenDone(
          answer,
          (value, failure) ->
              answered(
                  requester,
                  () -> {
                    if (failure == null) {
                      to.accept(value);
                    } else {
                      requester.registerFailed();
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
      isApplied = log().applyBelow(next, MAX_APPLY_NANOS, clock::unscaledNanoTime);
      return isApplied;
    }

    @Override
    public void lead(Configuration configuration, LogReplicator replicator) {
      long epoch = configuration.epoch();
      reads.end();
      checkpoints.lead();
      log().journal().setReplicas(execution.awaited(replicator));
      PartitionReplica.this.replicator = replicator;
      ownsLog = false;
      Partition leading = Partition.of(options, place.context(epoch), log());
      partition = leading;
      if (execution.hasThreads()) {
        leading.start();
      }
      place.leads(leading, epoch);
    }

    @Override
    public void requestTransfer(String node) {
      place.leave(node);
    }

    @Override
    public boolean mayChangeVoters() {
      Partition leading = partition;
      return leading != null && leading.isAnnouncementCommitted();
    }

    @Override
    public void fetchCheckpoint(String leader, long epoch, LogEnd end) {
      checkpoints.fetch(leader, epoch, end);
    }

    @Override
    public void serveCheckpoint(String to, ReplicaMessage.CheckpointRequest request) {
      checkpoints.serve(log(), to, request);
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
      return PartitionReplica.this.leaderCompleteTime();
    }

    @Override
    public void complete(long time, long next) {
      reads.reportComplete(time, next);
    }

    @Override
    public boolean stopLeading() {
      if (isClosing) {
        // Another thread closes the partition, which owns the log until then.
        return false;
      }
      closeLeading();
      if (failure.isEmpty()) {
        openLog();
        isApplied = false;
        if (lastCompleteTime.get() > 0) {
          // The complete time that it reported as the leader holds under any later leader.
          reads.reportComplete(lastCompleteTime.get(), replica.committed());
        }
      }
      return true;
    }
  }

  private void closeLeading() {
    Partition leading = partition;
    if (leading != null) {
      // Abandons maintenance that could take long, as this thread waits for it.
      leading.maintenance().abandon();
    }
    checkpoints.end();
    replicator = null;
    partition = null;
    if (leading != null) {
      try {
        stepDown.end(leading);
      } catch (RuntimeException e) {
        // Records that were uncommitted when it was deposed stay uncommitted.
        LOG.info("partition {} was closed: {}", options.number(), e.toString());
      }
    }
  }

  /**
   * Transfers leadership to the replica on a node: commits what it was given, then follows. If that
   * replica does not catch up soon, another one that has everything leads.
   *
   * @param atMost the maximum wait for another replica to be about to lead
   * @return whether another replica is about to lead or this one had ceased to lead before; if
   *     false, there may be no leader yet
   */
  @CanIgnoreReturnValue
  public boolean giveWay(String node, Duration atMost) {
    Partition leading = partition;
    return leading == null
        || isClosing
        || stepDown.resign(leading, () -> replica.transferLeadershipTo(node), atMost);
  }

  /**
   * The node is shutting down: the replica does not campaign from now on, as {@link
   * Replica#retire}.
   */
  public void retire() {
    isRetiring = true;
    run(() -> replica.retire());
  }

  /**
   * Transfers leadership before it is closed: commits what it was given, and has another replica
   * lead at once. If no replica has everything, another one leads later.
   *
   * @param atMost the maximum wait for the other replica to be about to lead
   */
  public void handOver(Duration atMost) {
    Partition leading = partition;
    if (leading == null || leading == transferredPartition) {
      return;
    }
    isClosing = true;
    transferredPartition = leading;
    stepDown.resign(leading, () -> replica.transferLeadership(), atMost);
  }

  /**
   * Closes the replica. A leader first commits what it was given; another replica leads after the
   * election timeout.
   */
  @Override
  public void close() {
    isClosing = true;
    Partition leading = partition;
    try {
      if (leading != null && leading != transferredPartition) {
        stepDown.end(leading);
      }
    } finally {
      isClosed = true;
      run(() -> {});
      thread.join();
      hasEnded = true;
      dropEvents();
      // A partition that has started to lead meanwhile must not wait for other replicas.
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
