package io.github.stablecut.internal.replica;

import io.github.stablecut.internal.thread.Backoff;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a partition: follows whoever leads, and leads itself when it has to (decision 20). A
 * state machine: {@link #receive} and {@link #tick} move it on. Confined to the copy's thread.
 *
 * <p>Invariants: a promise is durable before it is told, a record before it is acknowledged; no
 * group of an epoch below the promised one is taken; nothing that is known to be committed is cut
 * off.
 */
public final class Replica {
  /** What it does now. */
  public enum Role {
    FOLLOWING,
    /** Collects promises for the epoch in which it shall lead. */
    SEALING,
    /** Ships its log until a majority has it up to the header of its epoch. */
    STARTING,
    LEADING
  }

  /** A leader that hears no majority for so long resigns, in nanoseconds. */
  private static final long RESIGN_NANOS = 5_000_000_000L;

  /** So often the register is asked for another layout. */
  private static final long ASK_NANOS = 1_000_000_000;

  /** After so long without a leader those that are asked may not be the voters any more. */
  private static final long ALONE_NANOS = 4_000_000_000L;

  /** A candidate that hears no majority in this time gives up. */
  private static final long CANDIDATE_NANOS = 3_000_000_000L;

  /**
   * One that does gives up after this time. It ships what others lack, and nobody could lead
   * instead who lacks it: to give up is to begin that anew, so a large record is waited for.
   */
  private static final long STARTING_NANOS = 300_000_000_000L;

  /** A voter that is not to stay leaves it so long to others to lead. */
  private static final long GIVE_WAY_NANOS = 2 * Election.SILENCE_NANOS;

  private final String self;
  private final ReplicaLog log;
  private final ReplicaHost host;
  private final Election election;
  private final VoterChanges changes;
  private final LeadershipTransfer succession;
  private Configuration configuration;
  private Role role = Role.FOLLOWING;

  /** What it takes while it follows. */
  private final FollowerLog followed;

  private long now;

  /** When a leader or candidate was heard last. */
  private long heard;

  /** Since when the copy is a candidate. */
  private long candidateSince;

  /** When the register was asked last for what is not an election. */
  private long asked;

  /** While no leader is heard, and the register says nothing new: a read is an entry of its log. */
  private final Backoff reading = new Backoff(ASK_NANOS);

  private @Nullable LogReplicator replicator;

  /** Whether a leader that is too many has asked the register, and gives way when it answers. */
  private boolean isGivingWay;

  /** Who sent what it has taken last. */
  private @Nullable String source;

  /** Whether it is about to end: it promises, and neither follows nor leads any more. */
  private boolean isEnding;

  /** Whether its node is about to end: it begins to lead nothing, and goes on with all else. */
  private boolean isRetiring;

  /** The last epoch that it has led; 0 before it has led one. */
  private long led;

  /**
   * @param configuration what is known of the layout; its voters' nodes are to have copies until
   *     {@link #place} says otherwise
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

  /** The newest layout that it knows. */
  public Configuration configuration() {
    return configuration;
  }

  /** All records below it are known to be committed. */
  public long committed() {
    LogReplicator own = replicator;
    long known = followed.committed();
    return own == null ? known : Math.max(known, own.committed());
  }

  /** What it knows of the other copies while it leads. */
  public List<FollowerStatus> followers() {
    LogReplicator own = replicator;
    return own == null ? List.of() : own.followers();
  }

  /** Whether each node that is to have a copy has one that votes, and this one is one of them. */
  public boolean isComplete() {
    return isVoter() && changes.isComplete(configuration);
  }

  /**
   * Whether it is one of the voters that there are to be, and leads, or follows a leader and has
   * all that this one has said to be committed.
   */
  public boolean isUpToDate() {
    boolean isFollowing = isFollowing() && followed.isUpToDate() && !isEnding;
    return isComplete() && log.shortened() == 0 && (role == Role.LEADING || isFollowing);
  }

  /** Whether it leads, or has heard whoever leads a moment ago. */
  public boolean isLed() {
    return role == Role.LEADING || isFollowing();
  }

  private boolean isFollowing() {
    return role == Role.FOLLOWING && now - heard <= Election.SILENCE_NANOS;
  }

  /**
   * From now on these nodes are to have copies: whoever leads makes theirs voters, once they have
   * what is committed, and removes others.
   */
  public void place(List<String> nodes) {
    changes.place(nodes);
  }

  /** Asks whom it follows up to which time everything is committed, for those who read from it. */
  public void askComplete() {
    String leader = source;
    if (role == Role.FOLLOWING && leader != null) {
      host.send(leader, new ReplicaMessage.Reading(log.promised()));
    }
  }

  /**
   * A message of another copy has arrived.
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
   * Time has passed. To be called several times a second.
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

  /** Nobody could lead instead while the register can't be reached. */
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

  /** The vote of a copy that may have lost something counts again once it has all of a leader's. */
  private void askWhetherWhole() {
    String leader = source;
    if (log.shortened() != 0 && leader != null) {
      host.send(leader, new ReplicaMessage.Lacking(log.promised(), log.shortened(), log.next()));
    }
  }

  /** Whether no leader is heard, as one that has the only vote hears none. */
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
      throw new IllegalStateException("%s ships nothing as %s".formatted(self, role));
    }
    return own;
  }

  /** The register has answered {@link ReplicaHost#read}. */
  public void learned(Configuration newest) {
    if (role == Role.LEADING
        && newest.epoch() > configuration.epoch()
        && newest.voters().contains(self)) {
      // Whoever has asked for that epoch does not know that it has won, or is gone.
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
   * A copy that existed once, and was to enter itself in the register: nobody else could, unless
   * the partition began anew without it. Then its log is of another partition than the leader's.
   */
  private void checkGoesOn(Configuration newest) {
    boolean isFirst =
        configuration.epoch() > 0
            && configuration.epoch() == log.promised()
            && configuration.voters().equals(List.of(self));
    if (isFirst && !newest.voters().contains(self) && log.next() > 1) {
      throw new ReplicaInvariantException(
          "%s was the only replica of the partition, which began anew without it, with %s: start the node with an empty directory"
              .formatted(self, newest.voters()));
    }
  }

  /**
   * The register has not answered {@link ReplicaHost#read} or {@link ReplicaHost#replace}, and may
   * have agreed on the layout all the same: who hears no leader goes on to try.
   */
  public void unanswered() {
    isGivingWay = false;
    election.endTry();
  }

  /** The register has answered {@link ReplicaHost#replace}. */
  public void replaced(Configuration next, boolean hasWon) {
    election.endTry();
    if (!hasWon && role == Role.LEADING && next.epoch() > configuration.epoch()) {
      host.read();
    }
    if (!hasWon && role == Role.FOLLOWING && succession.isOffered()) {
      // There is a newer layout than who has given way knew, in which that one was to lead on.
      election.beginTry(now);
      host.read();
    }
    if (!hasWon || isEnding || next.epoch() <= log.promised()) {
      return;
    }
    if (role == Role.LEADING) {
      // It leads again in a moment, with other voters.
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

  /** Some of what {@link ReplicaHost#apply} was asked to apply is applied. */
  public void applied() {
    if (role == Role.STARTING) {
      lookAtMajority();
    }
  }

  /** Begins to serve once a majority has the header, and all before it is applied. */
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
        // What is committed is in the logs of those that have elected it.
        log.restored();
      }
      host.lead(configuration, own);
    }
  }

  /** Follows, whatever it did before. */
  private void resign() {
    Role before = role;
    isGivingWay = false;
    if (replicator != null) {
      // First: until then the journal's thread may still see that a majority has more.
      replicator.resign();
    }
    followed.commit(committed());
    succession.resigned();
    replicator = null;
    role = Role.FOLLOWING;
    heard = now;
    if (before == Role.LEADING) {
      if (!host.follow()) {
        // Records of a later leader would be mixed with what is still being written.
        isEnding = true;
      }
      host.committed(followed.committed());
    }
  }

  /** Its node is about to end: it begins to lead nothing from now on, so others need not wait. */
  public void retire() {
    isRetiring = true;
  }

  /**
   * Has another voter lead that has the whole log, as soon as one has, if one is about to: this
   * copy, whose journal takes nothing any more, is about to end. It promises until then, which that
   * one may need.
   *
   * @return whether it leads, so that {@link #isDeposed} or {@link #isDeclined} tells
   */
  public boolean handOver() {
    isEnding = true;
    List<String> voters = changes.preferring(configuration).voters();
    return handOn(voters, voters);
  }

  /**
   * Has the voter on a node lead as soon as it has the whole log, or another one that has if that
   * one is not about to: this copy, whose journal takes nothing any more, follows.
   *
   * @return whether it leads, so that {@link #isDeposed} or {@link #isDeclined} tells
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

  /** Nobody takes over: rather this copy than nobody, if it may. */
  private void leadAgain() {
    if (!isEnding && !isRetiring && changes.isWanted(self)) {
      tryAtOnce();
      host.read();
    }
  }

  /** Hears no leader any more: asks the register at once. If that fails there is an election. */
  private void tryAtOnce() {
    heard = now - Election.SILENCE_NANOS - 1;
    election.beginTry(now);
  }

  /** Whether it follows, and has promised a later epoch than it has led. */
  public boolean isDeposed() {
    return role == Role.FOLLOWING && log.promised() > led;
  }

  /** Whether nobody takes over what it has led last, and has given away. */
  public boolean isDeclined() {
    return role == Role.FOLLOWING && succession.isDeclined(led);
  }

  /** Ends: a leader's journal waits for nobody any more. */
  public void close() {
    resign();
  }

  /**
   * Whether the log may be replaced by a checkpoint that {@link ReplicaHost#fetch} has asked for.
   * What the log has was not the leader's at or behind the oldest record of that: so nothing of it
   * is committed, but what is in the checkpoint too. That holds as long as the log does not change.
   *
   * @param then where the log ended when that was asked for
   * @param first the number below which the checkpoint has all records: they are committed
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

  /** Where the log ends, of which the journal, while it is closed, may not have told all yet. */
  private LogEnd promisedEnd() {
    LogEnd end = log.end();
    return new LogEnd(end.epoch(), Math.max(end.next(), committed()), end.isShortened());
  }

  /**
   * Somebody leads an epoch, or is about to.
   *
   * @return false if that one has handed over to this copy since, as this comes late
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

    /** Whether an epoch counts here; otherwise its leader is told which one does. */
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

    /** Whether this copy follows the leader of an epoch, as it does from now on if it can. */
    private boolean follows(long epoch) {
      promise(epoch);
      if (role != Role.FOLLOWING || isEnding) {
        return false;
      }
      listens(epoch);
      followed.follow(epoch);
      return true;
    }

    /** The leader of an epoch is heard: this copy does not try to lead. */
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
      // Others do not wait for a log that is not to lead: its promise says if it has more.
      LogEnd end = isRetiring || isEnding ? LogEnd.NOTHING : log.end();
      host.send(from, new ReplicaMessage.Answer(message.epoch(), message.round(), isSilent, end));
      if (role == Role.LEADING && message.epoch() > configuration.epoch() && mayAsk()) {
        // The register has agreed on what this copy has asked for, which nobody has told it: who
        // votes by that waits for its groups.
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
        // It may take long, and there may be no majority without it.
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
        // The time first: its commits are below what is committed then.
        long time = host.passTime();
        long next = replicator().committed();
        if (time > 0) {
          host.send(from, new ReplicaMessage.Complete(message.epoch(), time, next));
        }
      }
    }

    @Override
    public void complete(ReplicaMessage.Complete message) {
      // That of a leader which was deposed holds, too: nobody commits at or below what it has told.
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
