package io.github.stablecut.internal.replica;

import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.journal.PendingRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A node with a replica in {@link ReplicasSimulation}. It may pause, and has its own clock, which
 * may step ahead. Confined to one thread.
 */
final class SimulatedNode implements ReplicaHost {
  private final ReplicasSimulation simulation;
  private final String name;
  private final RandomGenerator random;
  private final SimulatedLog log;
  private List<String> placed;
  private Replica replica;
  private @Nullable LogReplicator replicator;

  /** Counts the node's starts: messages for an earlier run do not arrive. */
  private int run;

  private boolean isDown;

  /** Whether no client writes here until the next start. */
  private boolean isDraining;

  /** How far its clock is ahead, in nanoseconds. */
  private long ahead;

  /** The end of its pause. */
  private long pausedUntil;

  /** The log's end at the time of the checkpoint request; null without a request. */
  private @Nullable LogEnd fetchedFor;

  /** The time until which the checkpoint is in flight. */
  private long fetchingUntil;

  SimulatedNode(ReplicasSimulation simulation, String name) {
    this.simulation = simulation;
    this.name = name;
    this.random = simulation.random();
    this.log = new SimulatedLog(simulation.broken());
    this.ahead = random.nextLong(1_000_000_000_000L);
    this.placed = simulation.placement();
    this.replica = newReplica();
  }

  private Replica newReplica() {
    Replica made = new Replica(name, Configuration.first(simulation.first()), log, this, time());
    made.place(placed);
    return made;
  }

  /** The node hears of a new placement. */
  void place(List<String> nodes) {
    placed = nodes;
    replica.place(nodes);
  }

  String name() {
    return name;
  }

  SimulatedLog log() {
    return log;
  }

  boolean isLeading() {
    return replicator != null;
  }

  boolean isDown() {
    return isDown;
  }

  private long time() {
    return simulation.now() + ahead;
  }

  /** Steps its clock ahead. */
  void stepClock(long nanos) {
    ahead += nanos;
  }

  /** Pauses the node; messages to it wait. */
  void pause(long nanos) {
    pausedUntil = simulation.now() + nanos;
  }

  /** Continues after a pause. */
  void wake() {
    pausedUntil = 0;
  }

  boolean isPaused() {
    return simulation.now() < pausedUntil;
  }

  long pausedUntil() {
    return pausedUntil;
  }

  void crash() {
    run++;
    isDown = true;
    isDraining = false;
    replicator = null;
    fetchedFor = null;
    log.crash(random);
  }

  /** Clients stop writing here: the node is about to end. */
  void drain() {
    isDraining = true;
  }

  /** Whether no client writes here. */
  boolean isDraining() {
    return isDraining;
  }

  /** Whether it leads and has nothing left to write. */
  boolean isDrained() {
    return isDraining && isLeading() && !isDown && !isPaused() && !log.isWriting();
  }

  /** Campaigns no more until its crash, which follows. */
  void retire() {
    replica.retire();
  }

  /**
   * Ends leadership in order before its crash; returns whether it asked another replica to lead.
   */
  boolean handOver() {
    return replica.transferLeadership();
  }

  /** Ends leadership in order and follows; then clients may write here again. */
  boolean transferLeadershipTo(String node) {
    return replica.transferLeadershipTo(node);
  }

  @Override
  public void requestTransfer(String node) {
    if (!isDraining) {
      drain();
      simulation.transferLeadershipTo(this, node);
    }
  }

  void restart() {
    if (isDown) {
      isDown = false;
      replica = newReplica();
    }
  }

  void tick() {
    if (!isDown) {
      replica.tick(time());
      if (random.nextInt(4) == 0) {
        replica.requestCompleteTime();
      }
    }
  }

  void receive(String from, ReplicaMessage message) {
    if (!isDown) {
      ReplicaMessage heard = simulation.broken().map(rule -> broken(rule, message)).orElse(message);
      if (!isLost(heard)) {
        replica.receive(from, heard, time());
      }
      if (heard instanceof ReplicaMessage.VoteRequest
          && simulation.isBroken(BrokenRule.FORGOTTEN_PROMISE)
          && random.nextBoolean()) {
        crash();
        restart();
      }
    }
  }

  /** Loses messages that mostly hide the omission of a rule. */
  private boolean isLost(ReplicaMessage message) {
    boolean isRare =
        simulation.isBroken(BrokenRule.NO_HEADER)
            || simulation.isBroken(BrokenRule.FORGOTTEN_PROMISE);
    boolean isHeader =
        message instanceof ReplicaMessage.Group group
            && group.records().isEmpty()
            && group.recordsEpoch() == group.epoch()
            && group.epoch() != log.epochs().last();
    boolean isHiding = isHeader || message instanceof ReplicaMessage.StaleEpoch;
    return isRare && isHiding && random.nextInt(10) > 0;
  }

  /** The message as the replica receives it when a rule is omitted. */
  private ReplicaMessage broken(BrokenRule rule, ReplicaMessage message) {
    if (message instanceof ReplicaMessage.Group group) {
      return broken(rule, group);
    }
    if (message instanceof ReplicaMessage.Acknowledged one) {
      boolean isOld = rule == BrokenRule.NO_EPOCH_CHECK && isLeading();
      return new ReplicaMessage.Acknowledged(
          isOld ? epoch() : one.epoch(),
          one.next(),
          one.isInEpoch() || isOld || rule == BrokenRule.NO_HEADER,
          one.space());
    }
    if (message instanceof ReplicaMessage.RecoveryTarget one && rule == BrokenRule.EARLY_RESTORE) {
      return new ReplicaMessage.RecoveryTarget(one.epoch(), one.mark(), 1);
    }
    if (message instanceof ReplicaMessage.Vote one && rule == BrokenRule.NO_FETCH) {
      return new ReplicaMessage.Vote(one.epoch(), new LogEnd(0, 1));
    }
    return message;
  }

  private ReplicaMessage.Group broken(BrokenRule rule, ReplicaMessage.Group one) {
    long epoch =
        rule == BrokenRule.NO_EPOCH_CHECK
            ? Math.max(one.epoch(), log.promisedEpoch())
            : one.epoch();
    boolean isThere = one.first() <= log.next() && one.first() > log.first();
    long previous =
        rule == BrokenRule.NO_MATCH && isThere
            ? log.epochs().at(one.first() - 1)
            : one.previousEpoch();
    return new ReplicaMessage.Group(
        epoch, one.first(), previous, one.recordsEpoch(), one.records(), one.committed());
  }

  @Override
  public void send(String to, ReplicaMessage message) {
    simulation.send(name, to, message);
  }

  /** Runs an answer for this run of the node, unless it has ended or paused. */
  private void answer(int asking, Runnable answer) {
    simulation.later(
        () ->
            simulation.when(
                this,
                () -> {
                  if (asking == run && !isDown) {
                    answer.run();
                  }
                }));
  }

  /** Whether the register does not answer, now and then. */
  private boolean isUnanswered(int asking) {
    if (random.nextInt(10) > 0 || simulation.isCalm()) {
      return false;
    }
    answer(asking, () -> replica.registerFailed());
    return true;
  }

  @Override
  public void readConfiguration() {
    int asking = run;
    if (isUnanswered(asking)) {
      return;
    }
    simulation.later(
        () -> {
          Configuration found = simulation.register();
          answer(asking, () -> replica.configurationRead(found));
        });
  }

  @Override
  public void replaceConfiguration(Configuration asked) {
    int asking = run;
    Configuration next = simulation.changed(asked);
    boolean isUnanswered = isUnanswered(asking);
    simulation.later(
        () -> {
          boolean hasWon = simulation.replace(next);
          if (!isUnanswered) {
            answer(asking, () -> replica.replaced(next, hasWon));
          }
        });
  }

  @Override
  public long completeTime() {
    return 1;
  }

  @Override
  public void complete(long time, long next) {
    // So that its claim about committed records is checked when it is reported.
  }

  @Override
  public void committed(long next) {
    simulation.check().committed(name, log, next);
  }

  /** Mostly takes a while. */
  @Override
  public boolean apply(long next) {
    committed(next);
    return random.nextInt(3) == 0;
  }

  @Override
  public void lead(Configuration configuration, LogReplicator own) {
    replicator = own;
    simulation.check().leads(name, configuration.epoch());
    committed(log.next());
  }

  @Override
  public boolean mayChangeVoters() {
    return true;
  }

  @Override
  public boolean stopLeading() {
    replicator = null;
    isDraining = false;
    log.reopen(random);
    return true;
  }

  /** Replicas have no files here: the whole checkpoint comes with its listing. */
  @Override
  public void fetchCheckpoint(String leader, long epoch, LogEnd end) {
    if (!end.equals(fetchedFor) || time() > fetchingUntil) {
      fetchedFor = end;
      fetchingUntil = time() + 2_000_000_000L;
      send(leader, new ReplicaMessage.CheckpointRequest(epoch, "", 0));
    }
  }

  @Override
  public void serveCheckpoint(String to, ReplicaMessage.CheckpointRequest asked) {
    long first = log.first();
    long firstEpoch = log.epochs().at(first);
    send(
        to,
        new ReplicaMessage.CheckpointListing(
            asked.epoch(), first, firstEpoch, List.of(), List.of()));
  }

  @Override
  public void checkpointReceived(String from, ReplicaMessage.CheckpointListing files) {
    LogEnd end = fetchedFor;
    if (end != null && replica.mayReplace(end, files.first())) {
      simulation.fetched();
      run++;
      fetchedFor = null;
      log.install(files.first(), files.firstEpoch());
      replica = newReplica();
    }
  }

  @Override
  public void checkpointReceived(String from, ReplicaMessage.FileChunk part) {
    throw new IllegalStateException("files have no parts here");
  }

  /**
   * Drops records that a checkpoint covers: up to those that others need for a recent one, or all.
   */
  void truncate() {
    LogReplicator own = replicator;
    if (!isDown) {
      long limit = own != null && random.nextInt(3) > 0 ? own.oldestNeeded() : committed();
      log.dropBefore(Math.min(Math.min(limit, committed()), log.next()));
    }
  }

  /** A client writes, or written records are synced or found to be on a majority. */
  void write() {
    LogReplicator own = replicator;
    if (own == null || isDown || isPaused()) {
      return;
    }
    if (!log.isWriting() && isDraining) {
      return;
    }
    if (!log.isWriting()) {
      List<PendingRecord> group = new ArrayList<>();
      for (int i = random.nextInt(3); i >= 0; i--) {
        byte[] body = ByteBuffer.allocate(8).putLong(simulation.nextBody()).array();
        group.add(new PendingRecord((byte) 1, body, body.length));
      }
      own.send(log.next(), group);
      log.write(group.stream().map(one -> new LogRecord((byte) 1, one.copyOfBody())).toList());
    } else if (!log.isSynced()) {
      log.sync();
    }
    finishIfHeld(own);
  }

  private void finishIfHeld(LogReplicator own) {
    if (log.isWriting() && log.isSynced()) {
      long next = own.groupEnd();
      if (own.isOnMajority(next) || simulation.isBroken(BrokenRule.NO_MAJORITY)) {
        own.commit(next);
        log.finish();
        committed(next);
      }
    }
  }

  /** A client reads the latest state. */
  void readLatest() {
    LogReplicator own = replicator;
    if (own != null && !isDown && !isPaused()) {
      long before = simulation.check().known();
      if (simulation.isBroken(BrokenRule.NO_READ_ROUND)) {
        simulation.check().latest(name, before, own.committed());
      }
      int asking = run;
      FireAndForget.whenDone(
          own.confirm(),
          (stillLeads, failure) -> {
            if (failure == null && stillLeads && asking == run && !isDown) {
              simulation.check().latest(name, before, own.committed());
            }
          });
    }
  }

  @Override
  public String toString() {
    return "%s: %s in %s, promised %d, ends at %s"
        .formatted(name, replica.role(), replica.configuration(), log.promisedEpoch(), log.end());
  }

  /** The end of the records that the replica knows to be committed. */
  long committed() {
    return replica.committed();
  }

  /** The epoch of its configuration. */
  long epoch() {
    return replica.configuration().epoch();
  }
}
