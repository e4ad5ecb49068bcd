package io.github.stablecut.internal.replica;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The campaign of a replica. A voter that hears no leader sends pre-vote requests to the others. Of
 * the voters that hear none, the one with the latest log asks the register for the next
 * configuration, then collects votes. Confined to the replica's thread.
 *
 * <p>A voter that may have lost the end of its log counts only if all voters are asked. The records
 * that it acknowledged may be committed, and its remaining log does not show them (Alagappan et al.
 * 2018).
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
  private static final long ANYBODY_NANOS = 10_000_000_000L;

  /** Time before the register is asked again if it does not answer. */
  private static final long REGISTER_NANOS = 5_000_000_000L;

  private final String self;
  private final ReplicaHost host;
  private final Map<String, LogEnd> silent = new HashMap<>();
  private final Map<String, LogEnd> promises = new HashMap<>();
  private long round;
  private long asked;
  private boolean isTrying;
  private long triedAt;

  /** Whether this voter campaigns although others may have a later log. */
  private boolean mayAnybody;

  Election(String self, ReplicaHost host, long now) {
    this.self = self;
    this.host = host;
    this.asked = now - ASK_NANOS;
  }

  /**
   * Sends pre-vote requests to the other voters, at most once per {@link #ASK_NANOS}.
   *
   * @param silence nanoseconds since a leader was heard
   */
  void ask(Configuration configuration, LogEnd own, long now, long silence) {
    if (now - asked < ASK_NANOS) {
      return;
    }
    asked = now;
    mayAnybody = silence > ANYBODY_NANOS;
    round++;
    silent.clear();
    silent.put(self, own);
    for (String voter : configuration.voters()) {
      if (!voter.equals(self)) {
        host.send(voter, new ReplicaMessage.Inquiry(configuration.epoch(), round));
      }
    }
    tryToLead(configuration, own, now);
  }

  /** Handles a pre-vote response. */
  void answered(
      String from,
      ReplicaMessage.Answer answer,
      Configuration configuration,
      LogEnd own,
      long now) {
    if (answer.round() == round && answer.isSilent()) {
      silent.put(from, answer.end());
      tryToLead(configuration, own, now);
    }
  }

  private void tryToLead(Configuration configuration, LogEnd own, long now) {
    boolean isBusy = isTrying && now - triedAt < REGISTER_NANOS;
    boolean isNext =
        mayAnybody
            ? configuration.isEnough(notLater(silent, own))
            : configuration.isEnough(silent) && isFirst(configuration.voters(), own);
    if (!isBusy && isNext) {
      beginTry(now);
      host.read();
    }
  }

  /** Notes that the replica asks the register for leadership. */
  void beginTry(long now) {
    isTrying = true;
    triedAt = now;
  }

  /**
   * Whether this log is the latest of all voters that hear no leader. The order of the voters
   * breaks ties.
   */
  private boolean isFirst(List<String> voters, LogEnd own) {
    return silent.entrySet().stream()
        .filter(other -> !other.getKey().equals(self))
        .allMatch(
            other -> {
              int order = own.compareTo(other.getValue());
              return order > 0
                  || (order == 0 && voters.indexOf(self) < voters.indexOf(other.getKey()));
            });
  }

  /** Whether the replica has asked the register and no answer or leader has ended the attempt. */
  boolean isTrying() {
    return isTrying;
  }

  /** Ends the attempt: the register answered, or a leader is heard. */
  void endTry() {
    isTrying = false;
    silent.clear();
  }

  /** Starts collecting votes for a configuration that the register agreed on. */
  void seal(Configuration configuration, LogEnd own) {
    promises.clear();
    promises.put(self, own);
    repeatSeal(configuration);
  }

  void repeatSeal(Configuration configuration) {
    for (String voter : configuration.voters()) {
      if (!promises.containsKey(voter)) {
        host.send(voter, new ReplicaMessage.Seal(configuration.epoch()));
      }
    }
  }

  /**
   * Records a voter's vote.
   *
   * @return whether the votes suffice, counting only voters whose logs this replica's log includes
   */
  boolean promised(String from, LogEnd end, Configuration configuration, LogEnd own) {
    promises.put(from, end);
    return isElected(configuration, own);
  }

  boolean isElected(Configuration configuration, LogEnd own) {
    return configuration.isEnough(notLater(promises, own));
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
