package io.github.stablecut.cluster;

import java.util.List;
import java.util.Optional;

/**
 * A node's replica of a partition, as the node knows it. Immutable.
 *
 * @param partition the partition's number
 * @param replica the name of the replica: that of the node, or a name of its own if the node once
 *     lost its directory
 * @param role the replica's role
 * @param epoch the epoch of the newest configuration that the replica knows
 * @param leader the replica that leads in that epoch; empty if none leads yet
 * @param voters the voters of that epoch
 * @param records the number of the replica's newest record
 * @param oldest the number of the oldest record that the replica still has; earlier ones are in
 *     checkpoints
 * @param committed the number of the newest record that the replica knows to be on a majority
 * @param isComplete whether the replica is a voter, and there are as many voters as configured
 *     replicas
 * @param isLed whether the replica leads, or has heard its leader recently
 * @param followers the other replicas, if this one leads
 * @param sentBytes the bytes of records and checkpoints sent to other replicas since the node
 *     started
 * @param isFull whether its disk is nearly full; a leader then refuses commits
 * @param isShortened whether disk damage may have removed acknowledged records, so that the replica
 *     must not vote until it has a leader's whole log
 * @param failure why the replica takes part in nothing for now; empty if it works
 */
public record PartitionReplicaLocation(
    int partition,
    String replica,
    Role role,
    long epoch,
    String leader,
    List<String> voters,
    long records,
    long oldest,
    long committed,
    boolean isComplete,
    boolean isLed,
    List<Follower> followers,
    long sentBytes,
    boolean isFull,
    boolean isShortened,
    String failure) {
  /** The role of a replica. */
  public enum Role {
    /** Applies the leader's log. */
    FOLLOWS,
    /** Campaigns, or prepares to lead. */
    TAKES_OVER,
    /** Orders commits and answers reads. */
    LEADS
  }

  /**
   * A leader's view of another replica.
   *
   * @param replica the name of the replica
   * @param isVoter whether it is a voter; otherwise it is a learner
   * @param isSilent whether the leader has not heard it for 1.5 s
   * @param isFull whether its disk is nearly full
   * @param behind how many of the leader's records it lacks
   */
  public record Follower(
      String replica, boolean isVoter, boolean isSilent, boolean isFull, long behind) {}

  /** Copies the lists. */
  public PartitionReplicaLocation {
    voters = List.copyOf(voters);
    followers = List.copyOf(followers);
  }

  /**
   * Whether, as far as this replica knows, the partition has fewer working replicas than
   * configured.
   */
  public boolean isUnderReplicated() {
    return !isComplete
        || !isLed
        || !failure.isEmpty()
        || isFull
        || isShortened
        || followers.stream().anyMatch(one -> one.isSilent() || one.isFull() || !one.isVoter());
  }

  /** What the partition lacks, if this replica leads and knows of too few working replicas. */
  public Optional<ReplicaShortage> shortage() {
    if (role != Role.LEADS) {
      return Optional.empty();
    }
    ReplicaShortage found = ReplicaShortage.of(this);
    return isComplete && found.working() >= voters.size() ? Optional.empty() : Optional.of(found);
  }
}
