package io.github.stablecut.internal.replica;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.internal.thread.Backoff;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A replica of a partition: follows the leader, and campaigns to lead when there is none (decision
 * 20). A state machine, driven by {@link #receive} and {@link #tick}. Confined to the replica's
 * thread.
 *
 * <p>Invariants: a vote is durable before it is sent, and a record before it is acknowledged;
 * groups of an epoch below the promised one are refused; a record known to be committed is never
 * cut off.
 */
public final class Replica {
  /** The current role of the replica. */
  public enum Role {
    FOLLOWING,
    /** Collects votes for the epoch in which it is to lead. */
    CAMPAIGNING,
    /** Replicates its log until a majority has it up to the header of its epoch. */
    STARTING,
    LEADING
  }

  /** A leader that hears no majority for this time steps down. */
  private static final long STEP_DOWN_NANOS = 5_000_000_000L;

  /** Interval between requests to the register. */
  private static final long REGISTER_INTERVAL_NANOS = 1_000_000_000;

  /**
   * After this time without a leader, the known voters may be outdated, so the register is read.
   */
  private static final long OUTDATED_NANOS = 4_000_000_000L;

  /** A candidate gives up if it hears no majority for this time. */
  private static final long CANDIDATE_NANOS = 3_000_000_000L;

  /**
   * A candidate that hears a majority gives up after this time. It sends what others lack, and no
   * replica without those records could lead instead. Giving up would restart that transfer, so the
   * limit leaves time for a large record.
   */
  private static final long STARTING_NANOS = 300_000_000_000L;

  /** A voter that is to be removed leaves others this time to campaign. */
  private static final long SURPLUS_VOTER_DELAY_NANOS = 2 * Election.SILENCE_NANOS;

  private final String self;
  private final ReplicaLog log;
  private final ReplicaHost host;
  private final Election election;
  private final VoterChanges voterChanges;
  private final LeadershipTransfer transfer;
  private Configuration configuration;
  private Role role = Role.FOLLOWING;

  /** The log while it follows. */
  private final FollowerLog followerLog;

  private long nowNanos;

  /** The time of the last message of a leader or candidate. */
  private long leaderHeardAtNanos;

  /** The time at which the current phase of the campaign began. */
  private long phaseBeganAtNanos;

  /** The time of the last request to the register, other than to campaign. */
  private long registerAskedAtNanos;

  /**
   * Limits reads of the register, each an entry of its log, while there is no message of a leader
   * and the configuration is unchanged.
   */
  private final Backoff readBackoff = new Backoff(REGISTER_INTERVAL_NANOS);

  private @Nullable LogReplicator replicator;

  /** Whether a surplus leader has read the register and steps down when it answers. */
  private boolean isStepDownPending;

  /** The sender of the last group that this follower accepted. */
  private @Nullable String followedLeader;

  /** Whether it is closing: it still votes, but neither follows nor leads. */
  private boolean isClosing;

  /** Whether its node is shutting down: it does not campaign, and otherwise continues. */
  private boolean isRetiring;

  /** The last epoch that it has led; 0 if none. */
  private long lastLedEpoch;

  /**
   * @param configuration the last known configuration; the nodes of its voters are to have replicas
   *     until {@link #place} names others
   */
  public Replica(
      String self, Configuration configuration, ReplicaLog log, ReplicaHost host, long nowNanos) {
    this.self = self;
    this.configuration = configuration;
    this.log = log;
    this.followerLog = new FollowerLog(self, log, host);
    this.host = host;
    this.nowNanos = nowNanos;
    this.leaderHeardAtNanos = nowNanos;
    this.registerAskedAtNanos = nowNanos - REGISTER_INTERVAL_NANOS;
    this.election = new Election(self, host, nowNanos);
    this.transfer = new LeadershipTransfer(host);
    this.voterChanges =
        new VoterChanges(self, configuration.voters().stream().map(Configuration::nodeOf).toList());
  }

  public Role role() {
    return role;
  }

  /** The newest configuration that it knows. */
  public Configuration configuration() {
    return configuration;
  }

  /** The committed watermark: all records below it are known to be committed. */
  public long committed() {
    LogReplicator own = replicator;
    long known = followerLog.committed();
    return own == null ? known : Math.max(known, own.committed());
  }

  /** The state of the other replicas; empty unless it leads. */
  public List<FollowerStatus> followers() {
    LogReplicator own = replicator;
    return own == null ? List.of() : own.followers();
  }

  /** Whether each node that is to have a replica has a voter, and this replica is a voter. */
  public boolean isComplete() {
    return isVoter() && voterChanges.isComplete(configuration);
  }

  /**
   * Whether the configuration is complete, and this replica leads or follows a leader with all
   * records that the leader reported as committed.
   */
  public boolean isUpToDate() {
    boolean isFollowing = isFollowing() && followerLog.isUpToDate() && !isClosing;
    return isComplete() && log.lossMark() == 0 && (role == Role.LEADING || isFollowing);
  }

  /** Whether it leads or has heard the leader within the election timeout. */
  public boolean isLed() {
    return role == Role.LEADING || isFollowing();
  }

  private boolean isFollowing() {
    return role == Role.FOLLOWING && nowNanos - leaderHeardAtNanos <= Election.SILENCE_NANOS;
  }

  /**
   * Sets the nodes that are to have replicas. The leader makes their replicas voters once they have
   * all committed records, and removes others.
   */
  public void place(List<String> nodes) {
    voterChanges.setNodes(nodes);
  }

  /**
   * Asks the leader up to which time every transaction is committed, for reads from this follower.
   */
  public void requestCompleteTime() {
    String leader = followedLeader;
    if (role == Role.FOLLOWING && leader != null) {
      host.send(leader, new ReplicaMessage.CompleteTimeRequest(log.promisedEpoch()));
    }
  }

  /**
   * Handles a message from another replica.
   *
   * @param nanos the time, as of {@link #tick}
   */
  public void receive(String from, ReplicaMessage message, long nanos) {
    nowNanos = nanos;
    if (replicator != null) {
      replicator.advanceTime(nanos);
    }
    message.dispatch(new Messages(from));
  }

  /**
   * Advances the time. Call this several times a second.
   *
   * @param nanos a time that never decreases
   */
  public void tick(long nanos) {
    nowNanos = nanos;
    switch (role) {
      case FOLLOWING -> follow();
      case CAMPAIGNING -> {
        election.repeatVoteRequests(configuration);
        if (nowNanos - phaseBeganAtNanos > CANDIDATE_NANOS) {
          stepDown();
        }
      }
      case STARTING, LEADING -> {
        LogReplicator own = replicator();
        own.tick(nowNanos);
        leadWhenReady();
        if (own.silenceNanos(nowNanos) > STEP_DOWN_NANOS || own.isStuck(nowNanos)) {
          stepDown();
        } else if (transfer.isBegun()) {
          transferWhenReady();
        } else if (role == Role.STARTING) {
          giveUpIfLate(own);
        } else if (voterChanges.isLeaderSurplus(configuration, own)) {
          readBeforeStepDown();
        } else if (mayAskRegister() && host.mayChangeVoters()) {
          voterChanges.next(configuration, own).ifPresent(this::requestConfiguration);
        }
      }
    }
  }

  /**
   * Reads the register before a surplus leader steps down: while it is unreachable, no other
   * replica could lead.
   */
  private void readBeforeStepDown() {
    if (mayAskRegister()) {
      registerAskedAtNanos = nowNanos;
      isStepDownPending = true;
      host.readConfiguration();
    }
  }

  private void follow() {
    if (log.promisedEpoch() <= lastLedEpoch) {
      transfer.tick(lastLedEpoch, nowNanos);
    }
    if (isClosing) {
      return;
    }
    requestRecoveryTarget();
    boolean isSilent = isSilent();
    if (!isVoter() && isSilent) {
      configuration
          .voters()
          .forEach(
              voter -> host.send(voter, new ReplicaMessage.LearnerRequest(configuration.epoch())));
    }
    boolean isOutdated = log.promisedEpoch() > configuration.epoch() || (!isVoter() && isSilent);
    boolean isAlone =
        nowNanos - leaderHeardAtNanos > OUTDATED_NANOS
            && nowNanos - registerAskedAtNanos > OUTDATED_NANOS;
    if (((isOutdated && mayAskRegister()) || isAlone) && readBackoff.isOver(nowNanos)) {
      registerAskedAtNanos = nowNanos;
      host.readConfiguration();
    }
    boolean mayLead =
        voterChanges.isWanted(self) || nowNanos - leaderHeardAtNanos > SURPLUS_VOTER_DELAY_NANOS;
    if (isVoter() && isSilent && mayLead && !isRetiring) {
      election.requestPreVotes(
          voterChanges.preferringWanted(configuration),
          log.end(),
          nowNanos,
          nowNanos - leaderHeardAtNanos);
    }
  }

  /**
   * Asks the leader how far this shortened log has to recover before the replica's vote counts
   * again.
   */
  private void requestRecoveryTarget() {
    String leader = followedLeader;
    if (log.lossMark() != 0 && leader != null) {
      host.send(
          leader,
          new ReplicaMessage.RecoveryRequest(log.promisedEpoch(), log.lossMark(), log.next()));
    }
  }

  /** Whether the messages of a leader have stopped; always true for the only voter. */
  private boolean isSilent() {
    return nowNanos - leaderHeardAtNanos > Election.SILENCE_NANOS
        || configuration.voters().equals(List.of(self));
  }

  private boolean mayAskRegister() {
    return nowNanos - registerAskedAtNanos >= REGISTER_INTERVAL_NANOS;
  }

  private boolean isVoter() {
    return configuration.voters().contains(self);
  }

  private void requestConfiguration(Configuration next) {
    registerAskedAtNanos = nowNanos;
    host.replaceConfiguration(next);
  }

  private void giveUpIfLate(LogReplicator own) {
    if (own.silenceNanos(nowNanos) > CANDIDATE_NANOS
        || nowNanos - phaseBeganAtNanos > STARTING_NANOS) {
      stepDown();
    }
  }

  private LogReplicator replicator() {
    LogReplicator own = replicator;
    if (own == null) {
      throw new IllegalStateException(
          "replica %s has no log replicator in role %s".formatted(self, role));
    }
    return own;
  }

  /** Handles the register's answer to {@link ReplicaHost#readConfiguration}. */
  public void configurationRead(Configuration newest) {
    if (role == Role.LEADING
        && newest.epoch() > configuration.epoch()
        && newest.voters().contains(self)) {
      // The requester of that epoch crashed or missed the register's reply.
      requestConfiguration(newest.ledBy(self));
      return;
    }
    if (role == Role.LEADING && isStepDownPending && newest.epoch() == configuration.epoch()) {
      isStepDownPending = false;
      voterChanges
          .successor(configuration, replicator())
          .map(Configuration::nodeOf)
          .ifPresent(host::requestTransfer);
      return;
    }
    if (role == Role.FOLLOWING && newest.epoch() > configuration.epoch()) {
      checkNotRecreated(newest);
      configuration = newest;
      readBackoff.end();
    } else if (role == Role.FOLLOWING && !election.isCampaigning()) {
      readBackoff.begin(nowNanos);
    }
    boolean mayLead = role == Role.FOLLOWING && !isClosing && isSilent() && isVoter();
    if (election.isCampaigning() && mayLead && !transfer.isOvertaken(configuration, self)) {
      host.replaceConfiguration(configuration.ledBy(self));
    } else if (election.isCampaigning()) {
      election.endCampaign();
      transfer.end();
    }
  }

  /**
   * Checks a replica that was once the only voter and entered itself in the register. Only it could
   * change the configuration, unless the partition was recreated without it. Then its log belongs
   * to a different partition than the leader's.
   */
  private void checkNotRecreated(Configuration newest) {
    boolean isFirst =
        configuration.epoch() > 0
            && configuration.epoch() == log.promisedEpoch()
            && configuration.voters().equals(List.of(self));
    if (isFirst && !newest.voters().contains(self) && log.next() > 1) {
      throw new ReplicaInvariantException(
          "%s was the only replica of the partition, which was recreated without it, with %s: start the node with an empty directory"
              .formatted(self, newest.voters()));
    }
  }

  /**
   * The register did not answer {@link ReplicaHost#readConfiguration} or {@link
   * ReplicaHost#replaceConfiguration}; it may still have agreed on the configuration. A replica
   * that hears no leader retries.
   */
  public void registerFailed() {
    isStepDownPending = false;
    election.endCampaign();
  }

  /** Handles the register's answer to {@link ReplicaHost#replaceConfiguration}. */
  public void replaced(Configuration next, boolean hasWon) {
    election.endCampaign();
    if (!hasWon && role == Role.LEADING && next.epoch() > configuration.epoch()) {
      host.readConfiguration();
    }
    if (!hasWon && role == Role.FOLLOWING && transfer.isOffered()) {
      // A configuration unknown to the outgoing leader exists, in which that leader was to
      // continue.
      election.beginCampaign(nowNanos);
      host.readConfiguration();
    }
    if (!hasWon || isClosing || next.epoch() <= log.promisedEpoch()) {
      return;
    }
    if (role == Role.LEADING) {
      // It campaigns again immediately, with the new voters.
      stepDown();
    }
    if (role != Role.FOLLOWING || isClosing) {
      return;
    }
    log.promiseEpoch(next.epoch());
    configuration = next;
    role = Role.CAMPAIGNING;
    transfer.end();
    phaseBeganAtNanos = nowNanos;
    election.requestVotes(configuration, log.end());
    startIfElected();
  }

  private void startIfElected() {
    if (!election.isElected(configuration, log.end())) {
      return;
    }
    log.beginEpoch(configuration.epoch());
    role = Role.STARTING;
    phaseBeganAtNanos = nowNanos;
    replicator =
        new LogReplicator(self, configuration, log, host, followerLog.committed(), nowNanos);
    replicator().tick(nowNanos);
    leadWhenReady();
  }

  /** Called after some of the records of {@link ReplicaHost#apply} were applied. */
  public void applied() {
    if (role == Role.STARTING) {
      leadWhenReady();
    }
  }

  /** Starts to serve once a majority has the header and all records before it are applied. */
  private void leadWhenReady() {
    LogReplicator own = replicator();
    if (role != Role.STARTING || !own.isOnMajority(own.epochStart())) {
      return;
    }
    own.commit(own.epochStart());
    phaseBeganAtNanos = nowNanos;
    if (host.apply(own.epochStart())) {
      role = Role.LEADING;
      lastLedEpoch = configuration.epoch();
      if (log.lossMark() != 0) {
        // All committed records are in the logs of the voters that elected it.
        log.markRecovered();
      }
      host.lead(configuration, own);
    }
  }

  /** Steps down from any role and follows. */
  private void stepDown() {
    Role before = role;
    isStepDownPending = false;
    if (replicator != null) {
      // This comes first: until then the journal's thread may still find a majority for more
      // records.
      replicator.stepDown();
    }
    followerLog.commit(committed());
    transfer.steppedDown();
    replicator = null;
    role = Role.FOLLOWING;
    leaderHeardAtNanos = nowNanos;
    if (before == Role.LEADING) {
      if (!host.stopLeading()) {
        // A write in progress could mix with records of a later leader.
        isClosing = true;
      }
      host.committed(followerLog.committed());
    }
  }

  /**
   * The node is shutting down: this replica does not campaign from now on, so others need not wait
   * for it.
   */
  public void retire() {
    isRetiring = true;
  }

  /**
   * Transfers leadership before this replica closes, to a voter that has the whole log, waiting for
   * one that is close to that. The journal must accept no more records. Until it closes, this
   * replica still votes, which the successor may need.
   *
   * @return whether it leads, so that {@link #isDeposed} or {@link #isDeclined} reports the outcome
   */
  public boolean transferLeadership() {
    isClosing = true;
    List<String> voters = voterChanges.preferringWanted(configuration).voters();
    return beginTransfer(voters, voters);
  }

  /**
   * Transfers leadership to the voter on a node once that voter has the whole log, or to another
   * voter that has it if that one is not close. The journal must accept no more records. This
   * replica then follows.
   *
   * @return whether it leads, so that {@link #isDeposed} or {@link #isDeclined} reports the outcome
   */
  public boolean transferLeadershipTo(String node) {
    List<String> voters = new ArrayList<>(voterChanges.preferringWanted(configuration).voters());
    voters.sort(Comparator.comparing(voter -> !Configuration.nodeOf(voter).equals(node)));
    return beginTransfer(
        voters, voters.stream().filter(one -> Configuration.nodeOf(one).equals(node)).toList());
  }

  private boolean beginTransfer(List<String> candidates, List<String> awaited) {
    if (role != Role.LEADING) {
      return false;
    }
    transfer.begin(candidates, awaited, nowNanos);
    transferWhenReady();
    return true;
  }

  private void transferWhenReady() {
    LogReplicator own = replicator();
    if (transfer.isReady(own, nowNanos)) {
      List<String> successors = transfer.upToDate(own);
      stepDown();
      transfer.askSuccessors(lastLedEpoch, successors);
      if (successors.isEmpty()) {
        campaignAgain();
      }
    }
  }

  /** Campaigns again because every voter declined, unless it is closing or is to be removed. */
  private void campaignAgain() {
    if (!isClosing && !isRetiring && voterChanges.isWanted(self)) {
      campaignAtOnce();
      host.readConfiguration();
    }
  }

  /** Starts a campaign without a pre-vote. If it fails, a normal election follows. */
  private void campaignAtOnce() {
    leaderHeardAtNanos = nowNanos - Election.SILENCE_NANOS - 1;
    election.beginCampaign(nowNanos);
  }

  /** Whether it follows and has voted or followed in a later epoch than it led. */
  public boolean isDeposed() {
    return role == Role.FOLLOWING && log.promisedEpoch() > lastLedEpoch;
  }

  /** Whether every voter declined to take over the last epoch that it led. */
  public boolean isDeclined() {
    return role == Role.FOLLOWING && transfer.isDeclined(lastLedEpoch);
  }

  /** Closes the replica, releasing a leader's journal from waiting for acknowledgements. */
  public void close() {
    stepDown();
  }

  /**
   * Whether a checkpoint that {@link ReplicaHost#fetchCheckpoint} requested may replace the log. At
   * the request, the log did not match the leader's at or after the oldest record that the leader
   * had. So every committed record of the log is in the checkpoint too. This holds as long as the
   * log does not change.
   *
   * @param then the end of the log at the request
   * @param first the number below which the checkpoint has all records; they are committed
   */
  public boolean mayReplace(LogEnd then, long first) {
    return role == Role.FOLLOWING && log.end().equals(then) && log.first() < first;
  }

  private void promise(long epoch) {
    if (epoch > log.promisedEpoch()) {
      log.promiseEpoch(epoch);
      stepDown();
    }
  }

  /**
   * The end of the log for a vote. A journal that is closing may not report its latest records, so
   * the committed watermark counts too.
   */
  private LogEnd endForVote() {
    LogEnd end = log.end();
    return new LogEnd(end.epoch(), Math.max(end.next(), committed()), end.isShortened());
  }

  /**
   * Notes that a replica leads an epoch or campaigns for it.
   *
   * @return false for a late message of a leader that has since transferred its leadership to this
   *     replica
   */
  @CanIgnoreReturnValue
  private boolean noteLeader(long epoch) {
    if (transfer.isTransferred(epoch)) {
      return false;
    }
    leaderHeardAtNanos = nowNanos;
    readBackoff.end();
    transfer.end();
    return true;
  }

  /** Handles each kind of message. */
  private final class Messages implements ReplicaMessage.Receiver {
    private final String from;

    Messages(String from) {
      this.from = from;
    }

    /** Whether an epoch is current; otherwise tells the sender the promised one. */
    private boolean admit(long epoch) {
      if (epoch < log.promisedEpoch()) {
        host.send(from, new ReplicaMessage.StaleEpoch(log.promisedEpoch()));
        return false;
      }
      return true;
    }

    private boolean isOfOwnEpoch(ReplicaMessage message) {
      return replicator != null && message.epoch() == configuration.epoch();
    }

    @Override
    public void group(ReplicaMessage.Group message) {
      if (!admit(message.epoch())) {
        return;
      }
      if (tryFollow(message.epoch())) {
        followedLeader = from;
        followerLog.receive(from, message);
      }
    }

    /**
     * Follows the leader of an epoch unless this replica leads, campaigns or is closing.
     *
     * @return whether it follows
     */
    private boolean tryFollow(long epoch) {
      promise(epoch);
      if (role != Role.FOLLOWING || isClosing) {
        return false;
      }
      noteLeaderAlive(epoch);
      followerLog.follow(epoch);
      return true;
    }

    /** Notes that the leader of an epoch is alive, which ends a campaign. */
    private void noteLeaderAlive(long epoch) {
      if (noteLeader(epoch)) {
        election.endCampaign();
      }
    }

    @Override
    public void acknowledged(ReplicaMessage.Acknowledged message) {
      if (isOfOwnEpoch(message)) {
        replicator().acknowledged(from, message);
        leadWhenReady();
        if (transfer.isBegun()) {
          transferWhenReady();
        }
      }
    }

    @Override
    public void logMismatch(ReplicaMessage.LogMismatch message) {
      if (isOfOwnEpoch(message)) {
        replicator().resumeAfterMismatch(from, message);
      }
    }

    @Override
    public void staleEpoch(ReplicaMessage.StaleEpoch message) {
      if (role != Role.FOLLOWING && message.epoch() > configuration.epoch()) {
        stepDown();
      }
    }

    @Override
    public void voteRequest(ReplicaMessage.VoteRequest message) {
      if (admit(message.epoch())) {
        promise(message.epoch());
        noteLeader(message.epoch());
        host.send(from, new ReplicaMessage.Vote(message.epoch(), endForVote()));
      }
    }

    @Override
    public void vote(ReplicaMessage.Vote message) {
      if (role == Role.CAMPAIGNING
          && message.epoch() == configuration.epoch()
          && election.addVote(from, message.end(), configuration, log.end())) {
        startIfElected();
      }
    }

    @Override
    public void readIndexRequest(ReplicaMessage.ReadIndexRequest message) {
      if (admit(message.epoch())) {
        if (role == Role.FOLLOWING) {
          noteLeaderAlive(message.epoch());
        }
        host.send(from, new ReplicaMessage.ReadIndexConfirmed(message.epoch(), message.round()));
      }
    }

    @Override
    public void readIndexConfirmed(ReplicaMessage.ReadIndexConfirmed message) {
      if (isOfOwnEpoch(message)) {
        replicator().confirmed(from, message.round());
      }
    }

    @Override
    public void preVoteRequest(ReplicaMessage.PreVoteRequest message) {
      boolean isSilent =
          role == Role.FOLLOWING && nowNanos - leaderHeardAtNanos > Election.SILENCE_NANOS;
      // This log is not to lead, so others need not wait for it; its vote shows if it has more.
      LogEnd end = isRetiring || isClosing ? LogEnd.EMPTY : log.end();
      host.send(from, new ReplicaMessage.PreVote(message.epoch(), message.round(), isSilent, end));
      if (role == Role.LEADING && message.epoch() > configuration.epoch() && mayAskRegister()) {
        // The register has agreed on this replica's request, but its answer was lost; the voter of
        // the new configuration waits for groups.
        registerAskedAtNanos = nowNanos;
        host.readConfiguration();
      }
    }

    @Override
    public void learnerRequest(ReplicaMessage.LearnerRequest message) {
      if (role == Role.LEADING && voterChanges.isWanted(from)) {
        replicator().addLearner(from);
      }
    }

    @Override
    public void recordsDropped(ReplicaMessage.RecordsDropped message) {
      if (!admit(message.epoch()) || !tryFollow(message.epoch())) {
        return;
      }
      if (followerLog.isBehind(message.first())) {
        host.fetchCheckpoint(from, message.epoch(), log.end());
      } else {
        host.send(from, new ReplicaMessage.LogMismatch(message.epoch(), log.next(), log.epochs()));
      }
    }

    @Override
    public void checkpointRequest(ReplicaMessage.CheckpointRequest message) {
      if (isOfOwnEpoch(message)) {
        // The fetch may take long, and there may be no majority without this replica.
        phaseBeganAtNanos = nowNanos;
        replicator().noteCheckpointFetch(from, message.file().isEmpty());
        host.serveCheckpoint(from, message);
      }
    }

    @Override
    public void checkpointListing(ReplicaMessage.CheckpointListing message) {
      if (admit(message.epoch()) && tryFollow(message.epoch())) {
        host.checkpointReceived(from, message);
      }
    }

    @Override
    public void fileChunk(ReplicaMessage.FileChunk message) {
      if (admit(message.epoch()) && tryFollow(message.epoch())) {
        host.checkpointReceived(from, message);
      }
    }

    @Override
    public void completeTimeRequest(ReplicaMessage.CompleteTimeRequest message) {
      if (role == Role.LEADING && isOfOwnEpoch(message)) {
        // The time comes first: all commits up to it are below the watermark read afterwards.
        long time = host.completeTime();
        long next = replicator().committed();
        if (time > 0) {
          host.send(from, new ReplicaMessage.CompleteTime(message.epoch(), time, next));
        }
      }
    }

    @Override
    public void completeTime(ReplicaMessage.CompleteTime message) {
      // This holds even from a deposed leader: no later commit is at or below the time that it
      // sent.
      if (role == Role.FOLLOWING) {
        followerLog.commitUpTo(message.epoch(), message.next());
        host.complete(message.time(), message.next());
      }
    }

    @Override
    public void timeoutNow(ReplicaMessage.TimeoutNow message) {
      if (!admit(message.epoch()) || transfer.isTransferred(message.epoch())) {
        return;
      }
      if (isRetiring || isClosing || log.lossMark() != 0) {
        host.send(from, new ReplicaMessage.TransferDeclined(message.epoch()));
      } else if (tryFollow(message.epoch())) {
        transfer.accept(from, message.epoch());
        campaignAtOnce();
        if (configuration.epoch() == message.epoch() && isVoter()) {
          host.replaceConfiguration(configuration.ledBy(self));
        } else {
          host.readConfiguration();
        }
      }
    }

    @Override
    public void transferDeclined(ReplicaMessage.TransferDeclined message) {
      boolean isOver = role != Role.FOLLOWING || log.promisedEpoch() > lastLedEpoch;
      if (!isOver && transfer.declined(from, message.epoch())) {
        campaignAgain();
      }
    }

    @Override
    public void recoveryRequest(ReplicaMessage.RecoveryRequest message) {
      if (isOfOwnEpoch(message)) {
        long end = replicator().discardAcknowledgements(from, message.next());
        host.send(from, new ReplicaMessage.RecoveryTarget(message.epoch(), message.mark(), end));
      }
    }

    @Override
    public void recoveryTarget(ReplicaMessage.RecoveryTarget message) {
      if (role == Role.FOLLOWING && !isClosing && message.mark() == log.lossMark()) {
        followerLog.setRecoveryTarget(message.epoch(), message.next());
      }
    }

    @Override
    public void preVote(ReplicaMessage.PreVote message) {
      if (role == Role.FOLLOWING
          && !isClosing
          && nowNanos - leaderHeardAtNanos > Election.SILENCE_NANOS) {
        election.receivePreVote(
            from, message, voterChanges.preferringWanted(configuration), log.end(), nowNanos);
      }
    }
  }
}
