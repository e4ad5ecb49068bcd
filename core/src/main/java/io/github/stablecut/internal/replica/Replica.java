package io.github.stablecut.internal.replica;

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
  /** What the replica does now. */
  public enum Role {
    FOLLOWING,
    /** Collects votes for the epoch in which it is to lead. */
    SEALING,
    /** Replicates its log until a majority has it up to the header of its epoch. */
    STARTING,
    LEADING
  }

  /** A leader that hears no majority for this time steps down. */
  private static final long RESIGN_NANOS = 5_000_000_000L;

  /** Interval between requests to the register. */
  private static final long ASK_NANOS = 1_000_000_000;

  /**
   * After this time without a leader, the known voters may be outdated, so the register is read.
   */
  private static final long ALONE_NANOS = 4_000_000_000L;

  /** A candidate gives up if it hears no majority for this time. */
  private static final long CANDIDATE_NANOS = 3_000_000_000L;

  /**
   * A candidate that hears a majority gives up after this time. It sends what others lack, and no
   * replica without those records could lead instead. Giving up would restart that transfer, so the
   * limit leaves time for a large record.
   */
  private static final long STARTING_NANOS = 300_000_000_000L;

  /** A voter that is to be removed leaves others this time to campaign. */
  private static final long GIVE_WAY_NANOS = 2 * Election.SILENCE_NANOS;

  private final String self;
  private final ReplicaLog log;
  private final ReplicaHost host;
  private final Election election;
  private final VoterChanges changes;
  private final LeadershipTransfer succession;
  private Configuration configuration;
  private Role role = Role.FOLLOWING;

  /** The log while it follows. */
  private final FollowerLog followed;

  private long now;

  /** When a leader or candidate was heard last. */
  private long heard;

  /** When the current phase of the candidacy began. */
  private long candidateSince;

  /** When the register was asked last, other than to campaign. */
  private long asked;

  /**
   * Limits reads of the register, each an entry of its log, while no leader is heard and the
   * configuration is unchanged.
   */
  private final Backoff reading = new Backoff(ASK_NANOS);

  private @Nullable LogReplicator replicator;

  /** Whether a surplus leader has read the register and steps down when it answers. */
  private boolean isGivingWay;

  /** The sender of the last group that this follower accepted. */
  private @Nullable String source;

  /** Whether it is closing: it still votes, but neither follows nor leads. */
  private boolean isEnding;

  /** Whether its node is shutting down: it does not campaign, and otherwise continues. */
  private boolean isRetiring;

  /** The last epoch that it has led; 0 if none. */
  private long led;

  /**
   * @param configuration the last known configuration; the nodes of its voters are to have replicas
   *     until {@link #place} names others
   */
  public Replica(
      String self, Configuration configuration, ReplicaLog log, ReplicaHost host, long now) {
    this.self = self;
    this.configuration = configuration;
    this.log = log;
    this.followed = new FollowerLog(self, log, host);
    this.host = host;
    this.now = now;
    this.heard = now;
    this.asked = now - ASK_NANOS;
    this.election = new Election(self, host, now);
    this.succession = new LeadershipTransfer(host);
    this.changes =
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
    long known = followed.committed();
    return own == null ? known : Math.max(known, own.committed());
  }

  /** The state of the other replicas; empty unless it leads. */
  public List<FollowerStatus> followers() {
    LogReplicator own = replicator;
    return own == null ? List.of() : own.followers();
  }

  /** Whether each node that is to have a replica has a voter, and this replica is a voter. */
  public boolean isComplete() {
    return isVoter() && changes.isComplete(configuration);
  }

  /**
   * Whether the configuration is complete, and this replica leads or follows a leader with all
   * records that the leader reported as committed.
   */
  public boolean isUpToDate() {
    boolean isFollowing = isFollowing() && followed.isUpToDate() && !isEnding;
    return isComplete() && log.shortened() == 0 && (role == Role.LEADING || isFollowing);
  }

  /** Whether it leads or has heard the leader within the election timeout. */
  public boolean isLed() {
    return role == Role.LEADING || isFollowing();
  }

  private boolean isFollowing() {
    return role == Role.FOLLOWING && now - heard <= Election.SILENCE_NANOS;
  }

  /**
   * Sets the nodes that are to have replicas. The leader makes their replicas voters once they have
   * all committed records, and removes others.
   */
  public void place(List<String> nodes) {
    changes.place(nodes);
  }

  /**
   * Asks the leader up to which time every transaction is committed, for reads from this follower.
   */
  public void askComplete() {
    String leader = source;
    if (role == Role.FOLLOWING && leader != null) {
      host.send(leader, new ReplicaMessage.Reading(log.promised()));
    }
  }

  /**
   * Handles a message from another replica.
   *
   * @param nanos the time, as of {@link #tick}
   */
  public void receive(String from, ReplicaMessage message, long nanos) {
    now = nanos;
    if (replicator != null) {
      replicator.passed(nanos);
    }
    message.handTo(new Messages(from));
  }

  /**
   * Advances the time. Call this several times a second.
   *
   * @param nanos a time that never decreases
   */
  public void tick(long nanos) {
    now = nanos;
    switch (role) {
      case FOLLOWING -> follow();
      case SEALING -> {
        election.repeatSeal(configuration);
        if (now - candidateSince > CANDIDATE_NANOS) {
          resign();
        }
      }
      case STARTING, LEADING -> {
        LogReplicator own = replicator();
        own.tick(now);
        lookAtMajority();
        if (own.silence(now) > RESIGN_NANOS || own.isStuck(now)) {
          resign();
        } else if (succession.isBegun()) {
          giveWayOnceTaken();
        } else if (role == Role.STARTING) {
          giveUpLate(own);
        } else if (changes.isLeaderTooMany(configuration, own)) {
          askBeforeGivingWay();
        } else if (mayAsk() && host.mayChangeVoters()) {
          changes.next(configuration, own).ifPresent(this::change);
        }
      }
    }
  }

  /**
   * Reads the register before a surplus leader steps down: while it is unreachable, no other
   * replica could lead.
   */
  private void askBeforeGivingWay() {
    if (mayAsk()) {
      asked = now;
      isGivingWay = true;
      host.read();
    }
  }

  private void follow() {
    if (log.promised() <= led) {
      succession.tick(led, now);
    }
    if (isEnding) {
      return;
    }
    askWhetherWhole();
    boolean isSilent = isSilent();
    if (!isVoter() && isSilent) {
      configuration
          .voters()
          .forEach(voter -> host.send(voter, new ReplicaMessage.Learning(configuration.epoch())));
    }
    boolean isOutdated = log.promised() > configuration.epoch() || (!isVoter() && isSilent);
    boolean isAlone = now - heard > ALONE_NANOS && now - asked > ALONE_NANOS;
    if (((isOutdated && mayAsk()) || isAlone) && reading.isOver(now)) {
      asked = now;
      host.read();
    }
    boolean mayLead = changes.isWanted(self) || now - heard > GIVE_WAY_NANOS;
    if (isVoter() && isSilent && mayLead && !isRetiring) {
      election.ask(changes.preferring(configuration), log.end(), now, now - heard);
    }
  }

  /**
   * Asks the leader how far this shortened log has to recover before the replica's vote counts
   * again.
   */
  private void askWhetherWhole() {
    String leader = source;
    if (log.shortened() != 0 && leader != null) {
      host.send(leader, new ReplicaMessage.Lacking(log.promised(), log.shortened(), log.next()));
    }
  }

  /** Whether no leader is heard; always true for the only voter. */
  private boolean isSilent() {
    return now - heard > Election.SILENCE_NANOS || configuration.voters().equals(List.of(self));
  }

  private boolean mayAsk() {
    return now - asked >= ASK_NANOS;
  }

  private boolean isVoter() {
    return configuration.voters().contains(self);
  }

  private void change(Configuration next) {
    asked = now;
    host.replace(next);
  }

  private void giveUpLate(LogReplicator own) {
    if (own.silence(now) > CANDIDATE_NANOS || now - candidateSince > STARTING_NANOS) {
      resign();
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

  /** Handles the register's answer to {@link ReplicaHost#read}. */
  public void learned(Configuration newest) {
    if (role == Role.LEADING
        && newest.epoch() > configuration.epoch()
        && newest.voters().contains(self)) {
      // The requester of that epoch crashed or missed the register's reply.
      change(newest.ledBy(self));
      return;
    }
    if (role == Role.LEADING && isGivingWay && newest.epoch() == configuration.epoch()) {
      isGivingWay = false;
      changes
          .successor(configuration, replicator())
          .map(Configuration::nodeOf)
          .ifPresent(host::leave);
      return;
    }
    if (role == Role.FOLLOWING && newest.epoch() > configuration.epoch()) {
      checkGoesOn(newest);
      configuration = newest;
      reading.end();
    } else if (role == Role.FOLLOWING && !election.isTrying()) {
      reading.begin(now);
    }
    boolean mayLead = role == Role.FOLLOWING && !isEnding && isSilent() && isVoter();
    if (election.isTrying() && mayLead && !succession.isLate(configuration, self)) {
      host.replace(configuration.ledBy(self));
    } else if (election.isTrying()) {
      election.endTry();
      succession.end();
    }
  }

  /**
   * Checks a replica that was once the only voter and entered itself in the register. Only it could
   * change the configuration, unless the partition was recreated without it. Then its log belongs
   * to a different partition than the leader's.
   */
  private void checkGoesOn(Configuration newest) {
    boolean isFirst =
        configuration.epoch() > 0
            && configuration.epoch() == log.promised()
            && configuration.voters().equals(List.of(self));
    if (isFirst && !newest.voters().contains(self) && log.next() > 1) {
      throw new ReplicaInvariantException(
          "%s was the only replica of the partition, which was recreated without it, with %s: start the node with an empty directory"
              .formatted(self, newest.voters()));
    }
  }

  /**
   * The register did not answer {@link ReplicaHost#read} or {@link ReplicaHost#replace}; it may
   * still have agreed on the configuration. A replica that hears no leader retries.
   */
  public void unanswered() {
    isGivingWay = false;
    election.endTry();
  }

  /** Handles the register's answer to {@link ReplicaHost#replace}. */
  public void replaced(Configuration next, boolean hasWon) {
    election.endTry();
    if (!hasWon && role == Role.LEADING && next.epoch() > configuration.epoch()) {
      host.read();
    }
    if (!hasWon && role == Role.FOLLOWING && succession.isOffered()) {
      // A configuration unknown to the outgoing leader exists, in which that leader was to
      // continue.
      election.beginTry(now);
      host.read();
    }
    if (!hasWon || isEnding || next.epoch() <= log.promised()) {
      return;
    }
    if (role == Role.LEADING) {
      // It campaigns again immediately, with the new voters.
      resign();
    }
    if (role != Role.FOLLOWING || isEnding) {
      return;
    }
    log.promise(next.epoch());
    configuration = next;
    role = Role.SEALING;
    succession.end();
    candidateSince = now;
    election.seal(configuration, log.end());
    startIfElected();
  }

  private void startIfElected() {
    if (!election.isElected(configuration, log.end())) {
      return;
    }
    log.beginEpoch(configuration.epoch());
    role = Role.STARTING;
    candidateSince = now;
    replicator = new LogReplicator(self, configuration, log, host, followed.committed(), now);
    replicator().tick(now);
    lookAtMajority();
  }

  /** Called after some of the records of {@link ReplicaHost#apply} were applied. */
  public void applied() {
    if (role == Role.STARTING) {
      lookAtMajority();
    }
  }

  /** Starts to serve once a majority has the header and all records before it are applied. */
  private void lookAtMajority() {
    LogReplicator own = replicator();
    if (role != Role.STARTING || !own.isHeld(own.header())) {
      return;
    }
    own.commit(own.header());
    candidateSince = now;
    if (host.apply(own.header())) {
      role = Role.LEADING;
      led = configuration.epoch();
      if (log.shortened() != 0) {
        // All committed records are in the logs of the voters that elected it.
        log.restored();
      }
      host.lead(configuration, own);
    }
  }

  /** Steps down from any role and follows. */
  private void resign() {
    Role before = role;
    isGivingWay = false;
    if (replicator != null) {
      // This comes first: until then the journal's thread may still find a majority for more
      // records.
      replicator.resign();
    }
    followed.commit(committed());
    succession.resigned();
    replicator = null;
    role = Role.FOLLOWING;
    heard = now;
    if (before == Role.LEADING) {
      if (!host.follow()) {
        // A write in progress could mix with records of a later leader.
        isEnding = true;
      }
      host.committed(followed.committed());
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
  public boolean handOver() {
    isEnding = true;
    List<String> voters = changes.preferring(configuration).voters();
    return handOn(voters, voters);
  }

  /**
   * Transfers leadership to the voter on a node once that voter has the whole log, or to another
   * voter that has it if that one is not close. The journal must accept no more records. This
   * replica then follows.
   *
   * @return whether it leads, so that {@link #isDeposed} or {@link #isDeclined} reports the outcome
   */
  public boolean giveWay(String node) {
    List<String> voters = new ArrayList<>(changes.preferring(configuration).voters());
    voters.sort(Comparator.comparing(voter -> !Configuration.nodeOf(voter).equals(node)));
    return handOn(
        voters, voters.stream().filter(one -> Configuration.nodeOf(one).equals(node)).toList());
  }

  private boolean handOn(List<String> candidates, List<String> awaited) {
    if (role != Role.LEADING) {
      return false;
    }
    succession.begin(candidates, awaited, now);
    giveWayOnceTaken();
    return true;
  }

  private void giveWayOnceTaken() {
    LogReplicator own = replicator();
    if (succession.isReady(own, now)) {
      List<String> able = succession.able(own);
      resign();
      succession.give(led, able);
      if (able.isEmpty()) {
        leadAgain();
      }
    }
  }

  /** Campaigns again because every voter declined, unless it is closing or is to be removed. */
  private void leadAgain() {
    if (!isEnding && !isRetiring && changes.isWanted(self)) {
      tryAtOnce();
      host.read();
    }
  }

  /** Starts a campaign without a pre-vote. If it fails, a normal election follows. */
  private void tryAtOnce() {
    heard = now - Election.SILENCE_NANOS - 1;
    election.beginTry(now);
  }

  /** Whether it follows and has voted or followed in a later epoch than it led. */
  public boolean isDeposed() {
    return role == Role.FOLLOWING && log.promised() > led;
  }

  /** Whether every voter declined to take over the last epoch that it led. */
  public boolean isDeclined() {
    return role == Role.FOLLOWING && succession.isDeclined(led);
  }

  /** Closes the replica, releasing a leader's journal from waiting for acknowledgements. */
  public void close() {
    resign();
  }

  /**
   * Whether a checkpoint that {@link ReplicaHost#fetch} requested may replace the log. At the
   * request, the log did not match the leader's at or after the oldest record that the leader had.
   * So every committed record of the log is in the checkpoint too. This holds as long as the log
   * does not change.
   *
   * @param then the end of the log at the request
   * @param first the number below which the checkpoint has all records; they are committed
   */
  public boolean mayReplace(LogEnd then, long first) {
    return role == Role.FOLLOWING && log.end().equals(then) && log.first() < first;
  }

  private void promise(long epoch) {
    if (epoch > log.promised()) {
      log.promise(epoch);
      resign();
    }
  }

  /**
   * The end of the log for a vote. A journal that is closing may not report its latest records, so
   * the committed watermark counts too.
   */
  private LogEnd promisedEnd() {
    LogEnd end = log.end();
    return new LogEnd(end.epoch(), Math.max(end.next(), committed()), end.isShortened());
  }

  /**
   * Notes that a replica leads an epoch or campaigns for it.
   *
   * @return false for a late message of a leader that has since transferred its leadership to this
   *     replica
   */
  private boolean hears(long epoch) {
    if (succession.isOver(epoch)) {
      return false;
    }
    heard = now;
    reading.end();
    succession.end();
    return true;
  }

  /** Handles each kind of message. */
  private final class Messages implements ReplicaMessage.Receiver {
    private final String from;

    Messages(String from) {
      this.from = from;
    }

    /** Whether an epoch is current; otherwise tells the sender the promised one. */
    private boolean admits(long epoch) {
      if (epoch < log.promised()) {
        host.send(from, new ReplicaMessage.Superseded(log.promised()));
        return false;
      }
      return true;
    }

    private boolean isOfOwnEpoch(ReplicaMessage message) {
      return replicator != null && message.epoch() == configuration.epoch();
    }

    @Override
    public void group(ReplicaMessage.Group message) {
      if (!admits(message.epoch())) {
        return;
      }
      if (follows(message.epoch())) {
        source = from;
        followed.take(from, message);
      }
    }

    /**
     * Follows the leader of an epoch unless this replica leads, campaigns or is closing.
     *
     * @return whether it follows
     */
    private boolean follows(long epoch) {
      promise(epoch);
      if (role != Role.FOLLOWING || isEnding) {
        return false;
      }
      listens(epoch);
      followed.follow(epoch);
      return true;
    }

    /** Notes that the leader of an epoch is alive, which ends a campaign. */
    private void listens(long epoch) {
      if (hears(epoch)) {
        election.endTry();
      }
    }

    @Override
    public void acknowledged(ReplicaMessage.Acknowledged message) {
      if (isOfOwnEpoch(message)) {
        replicator().acknowledged(from, message);
        lookAtMajority();
        if (succession.isBegun()) {
          giveWayOnceTaken();
        }
      }
    }

    @Override
    public void differs(ReplicaMessage.Differs message) {
      if (isOfOwnEpoch(message)) {
        replicator().differs(from, message);
      }
    }

    @Override
    public void superseded(ReplicaMessage.Superseded message) {
      if (role != Role.FOLLOWING && message.epoch() > configuration.epoch()) {
        resign();
      }
    }

    @Override
    public void seal(ReplicaMessage.Seal message) {
      if (admits(message.epoch())) {
        promise(message.epoch());
        boolean unused = hears(message.epoch());
        host.send(from, new ReplicaMessage.Promised(message.epoch(), promisedEnd()));
      }
    }

    @Override
    public void promised(ReplicaMessage.Promised message) {
      if (role == Role.SEALING
          && message.epoch() == configuration.epoch()
          && election.promised(from, message.end(), configuration, log.end())) {
        startIfElected();
      }
    }

    @Override
    public void confirm(ReplicaMessage.Confirm message) {
      if (admits(message.epoch())) {
        if (role == Role.FOLLOWING) {
          listens(message.epoch());
        }
        host.send(from, new ReplicaMessage.Confirmed(message.epoch(), message.round()));
      }
    }

    @Override
    public void confirmed(ReplicaMessage.Confirmed message) {
      if (isOfOwnEpoch(message)) {
        replicator().confirmed(from, message.round());
      }
    }

    @Override
    public void inquiry(ReplicaMessage.Inquiry message) {
      boolean isSilent = role == Role.FOLLOWING && now - heard > Election.SILENCE_NANOS;
      // This log is not to lead, so others need not wait for it; its vote shows if it has more.
      LogEnd end = isRetiring || isEnding ? LogEnd.NOTHING : log.end();
      host.send(from, new ReplicaMessage.Answer(message.epoch(), message.round(), isSilent, end));
      if (role == Role.LEADING && message.epoch() > configuration.epoch() && mayAsk()) {
        // The register has agreed on this replica's request, but its answer was lost; the voter of
        // the new configuration waits for groups.
        asked = now;
        host.read();
      }
    }

    @Override
    public void learning(ReplicaMessage.Learning message) {
      if (role == Role.LEADING && changes.isWanted(from)) {
        replicator().learns(from);
      }
    }

    @Override
    public void behind(ReplicaMessage.Behind message) {
      if (!admits(message.epoch()) || !follows(message.epoch())) {
        return;
      }
      if (followed.isBehind(message.first())) {
        host.fetch(from, message.epoch(), log.end());
      } else {
        host.send(from, new ReplicaMessage.Differs(message.epoch(), log.next(), log.epochs()));
      }
    }

    @Override
    public void fetch(ReplicaMessage.Fetch message) {
      if (isOfOwnEpoch(message)) {
        // The fetch may take long, and there may be no majority without this replica.
        candidateSince = now;
        replicator().fetches(from, message.file().isEmpty());
        host.serve(from, message);
      }
    }

    @Override
    public void files(ReplicaMessage.Files message) {
      if (admits(message.epoch()) && follows(message.epoch())) {
        host.fetched(from, message);
      }
    }

    @Override
    public void part(ReplicaMessage.Part message) {
      if (admits(message.epoch()) && follows(message.epoch())) {
        host.fetched(from, message);
      }
    }

    @Override
    public void reading(ReplicaMessage.Reading message) {
      if (role == Role.LEADING && isOfOwnEpoch(message)) {
        // The time comes first: all commits up to it are below the watermark read afterwards.
        long time = host.passTime();
        long next = replicator().committed();
        if (time > 0) {
          host.send(from, new ReplicaMessage.Complete(message.epoch(), time, next));
        }
      }
    }

    @Override
    public void complete(ReplicaMessage.Complete message) {
      // This holds even from a deposed leader: no later commit is at or below the time that it
      // sent.
      if (role == Role.FOLLOWING) {
        followed.told(message.epoch(), message.next());
        host.complete(message.time(), message.next());
      }
    }

    @Override
    public void takeOver(ReplicaMessage.TakeOver message) {
      if (!admits(message.epoch()) || succession.isOver(message.epoch())) {
        return;
      }
      if (isRetiring || isEnding || log.shortened() != 0) {
        host.send(from, new ReplicaMessage.Declined(message.epoch()));
      } else if (follows(message.epoch())) {
        succession.take(from, message.epoch());
        tryAtOnce();
        if (configuration.epoch() == message.epoch() && isVoter()) {
          host.replace(configuration.ledBy(self));
        } else {
          host.read();
        }
      }
    }

    @Override
    public void declined(ReplicaMessage.Declined message) {
      boolean isOver = role != Role.FOLLOWING || log.promised() > led;
      if (!isOver && succession.declined(from, message.epoch())) {
        leadAgain();
      }
    }

    @Override
    public void lacking(ReplicaMessage.Lacking message) {
      if (isOfOwnEpoch(message)) {
        long end = replicator().lacks(from, message.next());
        host.send(from, new ReplicaMessage.Whole(message.epoch(), message.mark(), end));
      }
    }

    @Override
    public void whole(ReplicaMessage.Whole message) {
      if (role == Role.FOLLOWING && !isEnding && message.mark() == log.shortened()) {
        followed.wholeAt(message.epoch(), message.next());
      }
    }

    @Override
    public void answer(ReplicaMessage.Answer message) {
      if (role == Role.FOLLOWING && !isEnding && now - heard > Election.SILENCE_NANOS) {
        election.answered(from, message, changes.preferring(configuration), log.end(), now);
      }
    }
  }
}
