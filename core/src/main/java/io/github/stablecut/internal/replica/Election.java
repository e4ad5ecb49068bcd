package io.github.stablecut.internal.replica;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The campaign of a replica. A voter that hears no leader sends pre-vote requests to the others. Of
 * the voters that hear none, the one with the latest log asks the register for the next
 * configuration, then collects votes. Confined to the replica's thread.
 *
 * <p>A voter that may have lost the end of its log counts only in a round of all voters. The
 * records that it acknowledged may be committed, and its remaining log does not show them
 * (Alagappan et al. 2018).
 *
 * <p>Invariant: a replica leads an epoch at most once, and only if it knows that its own
 * compare-and-set succeeded.
 */
final class Election {
  /** Election timeout: a leader silent for longer may have failed. */
  static final long SILENCE_NANOS = 1_500_000_000;

  /** Interval between rounds of pre-vote requests. */
  private static final long ASK_NANOS = 500_000_000;

  /**
   * After this time without a leader, voters with an older log may campaign. The voter with the
   * latest log may be unable to reach the register, and records that only it has are not committed.
   */
  private static final long OLDER_LOG_NANOS = 10_000_000_000L;

  /** The time before a request to the register is repeated if there is no answer. */
  private static final long REGISTER_NANOS = 5_000_000_000L;

  private final String self;
  private final ReplicaHost host;
  private final Map<String, LogEnd> silentVoters = new HashMap<>();
  private final Map<String, LogEnd> votes = new HashMap<>();
  private long round;
  private long askedAtNanos;
  private boolean isCampaigning;
  private long campaignBeganAtNanos;

  /** Whether this voter campaigns although others may have a later log. */
  private boolean mayOlderLogLead;

  Election(String self, ReplicaHost host, long nowNanos) {
    this.self = self;
    this.host = host;
    this.askedAtNanos = nowNanos - ASK_NANOS;
  }

  /**
   * Sends pre-vote requests to the other voters, at most once per {@link #ASK_NANOS}.
   *
   * @param silenceNanos nanoseconds since the last message of a leader
   */
  void requestPreVotes(Configuration configuration, LogEnd own, long nowNanos, long silenceNanos) {
    if (nowNanos - askedAtNanos < ASK_NANOS) {
      return;
    }
    askedAtNanos = nowNanos;
    mayOlderLogLead = silenceNanos > OLDER_LOG_NANOS;
    round++;
    silentVoters.clear();
    silentVoters.put(self, own);
    for (String voter : configuration.voters()) {
      if (!voter.equals(self)) {
        host.send(voter, new ReplicaMessage.PreVoteRequest(configuration.epoch(), round));
      }
    }
    campaignIfReady(configuration, own, nowNanos);
  }

  /** Handles a pre-vote response. */
  void receivePreVote(
      String from,
      ReplicaMessage.PreVote answer,
      Configuration configuration,
      LogEnd own,
      long nowNanos) {
    if (answer.round() == round && answer.isSilent()) {
      silentVoters.put(from, answer.end());
      campaignIfReady(configuration, own, nowNanos);
    }
  }

  private void campaignIfReady(Configuration configuration, LogEnd own, long nowNanos) {
    boolean isBusy = isCampaigning && nowNanos - campaignBeganAtNanos < REGISTER_NANOS;
    boolean isNext =
        mayOlderLogLead
            ? configuration.isEnough(notLater(silentVoters, own))
            : configuration.isEnough(silentVoters) && isLatest(configuration.voters(), own);
    if (!isBusy && isNext) {
      beginCampaign(nowNanos);
      host.readConfiguration();
    }
  }

  /** Notes that the replica asks the register for leadership. */
  void beginCampaign(long nowNanos) {
    isCampaigning = true;
    campaignBeganAtNanos = nowNanos;
  }

  /**
   * Whether this log is the latest of all voters that hear no leader. The order of the voters
   * breaks ties.
   */
  private boolean isLatest(List<String> voters, LogEnd own) {
    return silentVoters.entrySet().stream()
        .filter(other -> !other.getKey().equals(self))
        .allMatch(
            other -> {
              int order = own.compareTo(other.getValue());
              return order > 0
                  || (order == 0 && voters.indexOf(self) < voters.indexOf(other.getKey()));
            });
  }

  /** Whether the replica has asked the register and no answer or leader has ended the attempt. */
  boolean isCampaigning() {
    return isCampaigning;
  }

  /** Ends the attempt: the register answered, or a message of a leader has arrived. */
  void endCampaign() {
    isCampaigning = false;
    silentVoters.clear();
  }

  /** Starts collecting votes for a configuration that the register agreed on. */
  void requestVotes(Configuration configuration, LogEnd own) {
    votes.clear();
    votes.put(self, own);
    repeatVoteRequests(configuration);
  }

  void repeatVoteRequests(Configuration configuration) {
    for (String voter : configuration.voters()) {
      if (!votes.containsKey(voter)) {
        host.send(voter, new ReplicaMessage.VoteRequest(configuration.epoch()));
      }
    }
  }

  /**
   * Records a voter's vote.
   *
   * @return whether the votes suffice, counting only voters whose logs this replica's log includes
   */
  boolean addVote(String from, LogEnd end, Configuration configuration, LogEnd own) {
    votes.put(from, end);
    return isElected(configuration, own);
  }

  boolean isElected(Configuration configuration, LogEnd own) {
    return configuration.isEnough(notLater(votes, own));
  }

  /** The voters whose logs do not end after this replica's. */
  private static Map<String, LogEnd> notLater(Map<String, LogEnd> ends, LogEnd own) {
    Map<String, LogEnd> found = new HashMap<>();
    ends.forEach(
        (voter, end) -> {
          if (end.compareTo(own) <= 0) {
            found.put(voter, end);
          }
        });
    return found;
  }
}
