package io.github.stablecut.internal.replica;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * Transfers leadership from a leader with nothing left to commit to a voter that has the whole log.
 * It waits for a preferred voter to catch up while one is close to that. Then it asks one voter
 * after another to campaign, until one neither declines nor stays silent. If two campaign, the
 * register decides between them. The successor leads the epoch after the transferred one. Confined
 * to the replica's thread.
 */
final class LeadershipTransfer {
  /** Maximum wait for voters to catch up: an election takes about as long. */
  private static final long CATCH_UP_NANOS = Election.SILENCE_NANOS;

  /**
   * A voter that accepted has most likely won the register within this time, and sends vote
   * requests.
   */
  private static final long RESPONSE_NANOS = Election.SILENCE_NANOS / 3;

  private final ReplicaHost host;

  /** The voters that may lead instead, preferred ones first; empty if no transfer has begun. */
  private List<String> candidates = List.of();

  /** One of these should be up to date before a voter is asked to campaign. */
  private List<String> awaited = List.of();

  private long beganAtNanos;

  /** The voters to ask next if the current one declines. */
  private final Deque<String> remaining = new ArrayDeque<>();

  /** The epoch whose leadership this replica has given up; 0 if none. */
  private long transferredEpoch;

  /** The voter that was last asked to campaign; empty if none is left. */
  private String askedVoter = "";

  /** Whether no tick has passed since that request. */
  private boolean hasJustAsked;

  /** The first tick after that request. */
  private long askedAtNanos;

  /** The epoch whose leader asked this replica to take over; 0 if none. */
  private long offeredEpoch;

  /** The leader of that epoch. */
  private String outgoingLeader = "";

  LeadershipTransfer(ReplicaHost host) {
    this.host = host;
  }

  /**
   * Starts a transfer. This replica's journal must accept no more records.
   *
   * @param candidates the other voters, preferred ones first
   * @param awaited one of these should catch up first, unless none is close to that; voters whose
   *     disks have space take precedence
   */
  void begin(List<String> candidates, List<String> awaited, long nowNanos) {
    this.candidates = List.copyOf(candidates);
    this.awaited = List.copyOf(awaited);
    beganAtNanos = nowNanos;
  }

  /** Whether a transfer has begun, but no request to campaign was sent yet. */
  boolean isBegun() {
    return !candidates.isEmpty();
  }

  /** Whether the wait for voters to catch up is over. */
  boolean isReady(LogReplicator own, long nowNanos) {
    List<String> near = awaited.stream().filter(own::isNear).toList();
    List<String> withSpace = near.stream().filter(own::hasSpace).toList();
    List<String> best = withSpace.isEmpty() ? near : withSpace;
    return nowNanos - beganAtNanos > CATCH_UP_NANOS
        || best.isEmpty()
        || best.stream().anyMatch(own::isCaughtUp);
  }

  /** The candidates that have the whole log, those whose disks have space first. */
  List<String> upToDate(LogReplicator own) {
    return candidates.stream()
        .filter(own::isCaughtUp)
        .sorted(Comparator.comparing(one -> !own.hasSpace(one)))
        .toList();
  }

  /** This replica stepped down. */
  void steppedDown() {
    candidates = List.of();
  }

  /**
   * Asks the first of the voters that have the whole log, if there is one.
   *
   * @param epoch the epoch that this replica led
   */
  void askSuccessors(long epoch, List<String> successors) {
    transferredEpoch = epoch;
    remaining.clear();
    remaining.addAll(successors);
    askNext();
  }

  /**
   * Asks the next voter.
   *
   * @return false if none is left
   */
  @CanIgnoreReturnValue
  private boolean askNext() {
    askedVoter = remaining.isEmpty() ? "" : remaining.remove();
    hasJustAsked = true;
    if (!askedVoter.isEmpty()) {
      host.send(askedVoter, new ReplicaMessage.TimeoutNow(transferredEpoch));
    }
    return !askedVoter.isEmpty();
  }

  /**
   * Asks the next voter when the current one has stayed silent for too long. Called while no
   * replica campaigns for a later epoch.
   *
   * @param epoch the last epoch that this replica led
   */
  void tick(long epoch, long nowNanos) {
    if (hasJustAsked) {
      hasJustAsked = false;
      askedAtNanos = nowNanos;
    }
    if (epoch == transferredEpoch
        && !remaining.isEmpty()
        && nowNanos - askedAtNanos >= RESPONSE_NANOS) {
      askNext();
    }
  }

  /**
   * Handles a voter's refusal by asking the next one.
   *
   * @return whether the refusal counts and no voter is left
   */
  boolean declined(String from, long epoch) {
    return epoch == transferredEpoch && from.equals(askedVoter) && !askNext();
  }

  /** Whether every voter declined to take over from this epoch. */
  boolean isDeclined(long epoch) {
    return transferredEpoch == epoch && askedVoter.isEmpty();
  }

  /** Accepts the leadership of the given epoch's leader. */
  void accept(String from, long epoch) {
    outgoingLeader = from;
    offeredEpoch = epoch;
  }

  /** Whether this replica is about to take over. */
  boolean isOffered() {
    return offeredEpoch > 0;
  }

  /** Whether the leader of an epoch has transferred its leadership to this replica. */
  boolean isTransferred(long epoch) {
    return isOffered() && epoch <= offeredEpoch;
  }

  /** Whether a newer configuration names a third replica as the leader. */
  boolean isOvertaken(Configuration newest, String self) {
    boolean isOwn = newest.leader().equals(outgoingLeader) || newest.leader().equals(self);
    return isOffered() && newest.epoch() > offeredEpoch && !isOwn;
  }

  /** Forgets the transfer: this or another replica leads now. */
  void end() {
    offeredEpoch = 0;
  }
}
