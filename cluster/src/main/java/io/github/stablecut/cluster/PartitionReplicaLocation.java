package io.github.stablecut.cluster;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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
   * @param isSilent whether the leader has received nothing from it for 1.5 s
   * @param isFull whether its disk is nearly full
   * @param behind how many of the leader's records it lacks
   */
  public record Follower(
      String replica, boolean isVoter, boolean isSilent, boolean isFull, long behind) {}

  /** Starts the description of a replica. */
  public static Builder builder(int partition, String replica, Role role) {
    return new Builder(partition, replica, role);
  }

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

  /**
   * Returns the partition's shortage of replicas, if this replica leads and knows of too few
   * working ones.
   */
  public Optional<ReplicaShortage> shortage() {
    if (role != Role.LEADS) {
      return Optional.empty();
    }
    ReplicaShortage found = ReplicaShortage.of(this);
    return isComplete && found.working() >= voters.size() ? Optional.empty() : Optional.of(found);
  }

  /**
   * Builds a {@link PartitionReplicaLocation}. Its methods set the components of the same names;
   * without them, numbers are 0, texts and lists are empty, and flags are false. Not thread-safe.
   */
  public static final class Builder {
    private final int partition;
    private final String replica;
    private final Role role;
    private long epoch;
    private String leader = "";
    private List<String> voters = List.of();
    private long records;
    private long oldest;
    private long committed;
    private boolean isComplete;
    private boolean isLed;
    private List<Follower> followers = List.of();
    private long sentBytes;
    private boolean isFull;
    private boolean isShortened;
    private String failure = "";

    private Builder(int partition, String replica, Role role) {
      this.partition = partition;
      this.replica = replica;
      this.role = role;
    }

    @CanIgnoreReturnValue
    public Builder epoch(long epoch) {
      this.epoch = epoch;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder leader(String leader) {
      this.leader = leader;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder voters(List<String> voters) {
      this.voters = voters;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder records(long records) {
      this.records = records;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder oldest(long oldest) {
      this.oldest = oldest;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder committed(long committed) {
      this.committed = committed;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder isComplete(boolean isComplete) {
      this.isComplete = isComplete;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder isLed(boolean isLed) {
      this.isLed = isLed;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder followers(List<Follower> followers) {
      this.followers = followers;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder sentBytes(long sentBytes) {
      this.sentBytes = sentBytes;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder isFull(boolean isFull) {
      this.isFull = isFull;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder isShortened(boolean isShortened) {
      this.isShortened = isShortened;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder failure(String failure) {
      this.failure = failure;
      return this;
    }

    public PartitionReplicaLocation build() {
      return new PartitionReplicaLocation(
          partition,
          replica,
          role,
          epoch,
          leader,
          voters,
          records,
          oldest,
          committed,
          isComplete,
          isLed,
          followers,
          sentBytes,
          isFull,
          isShortened,
          failure);
    }
  }
}
