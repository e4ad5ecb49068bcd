package io.github.stablecut.internal.replica;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How a copy becomes a candidate: a voter that hears no leader asks the others whether they do, and
 * of those that hear none the one with the latest log asks the register for the next layout. Then
 * it collects promises. Confined to the copy's thread.
 *
 * <p>A voter that may have lost the end of its log counts only if all voters are asked: what it has
 * acknowledged may be committed, and what it has says nothing of that (Alagappan et al. 2018).
 *
 * <p>Invariant: a copy leads an epoch at most once, and only if it knows that its own
 * compare-and-set has won.
 */
final class Election {
  /** A leader that was not heard for so long may be gone, in nanoseconds. */
  static final long SILENCE_NANOS = 1_500_000_000;

  private static final long ASK_NANOS = 500_000_000;

  /**
   * After so long without a leader who has the latest log has had its time: it may not reach the
   * register, and what only that one has is not committed.
   */
  private static final long ANYBODY_NANOS = 10_000_000_000L;

  /** So long the register may take before it is asked again. */
  private static final long REGISTER_NANOS = 5_000_000_000L;

  private final String self;
  private final ReplicaHost host;
  private final Map<String, LogEnd> silent = new HashMap<>();
  private final Map<String, LogEnd> promises = new HashMap<>();
  private long round;
  private long asked;
  private boolean isTrying;
  private long triedAt;

  /** Whether others with a later log are not waited for any more. */
  private boolean mayAnybody;

  Election(String self, ReplicaHost host, long now) {
    this.self = self;
    this.host = host;
    this.asked = now - ASK_NANOS;
  }

  /**
   * No leader is heard: asks the others, now and then.
   *
   * @param silence for so long, in nanoseconds
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

  /** Another voter has answered. */
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

  /** The copy asks the register from now on. */
  void beginTry(long now) {
    isTrying = true;
    triedAt = now;
  }

  /** Whether no other voter that hears no leader has a later log, or the same and is preferred. */
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

  /** Whether the copy asks the register, or has until now. */
  boolean isTrying() {
    return isTrying;
  }

  /** The register has answered, or a leader is heard. */
  void endTry() {
    isTrying = false;
    silent.clear();
  }

  /** The copy collects promises for a layout that the register agreed on. */
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
   * A voter has promised.
   *
   * @return whether enough have, each with a log that this copy's includes
   */
  boolean promised(String from, LogEnd end, Configuration configuration, LogEnd own) {
    promises.put(from, end);
    return isElected(configuration, own);
  }

  boolean isElected(Configuration configuration, LogEnd own) {
    return configuration.isEnough(notLater(promises, own));
  }

  /** The voters whose logs end no later. */
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
