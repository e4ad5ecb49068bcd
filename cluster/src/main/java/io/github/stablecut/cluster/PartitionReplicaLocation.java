package io.github.stablecut.cluster;

import java.util.List;

/**
 * A node's copy of a partition, as the node knows it. Immutable.
 *
 * @param partition its number
 * @param replica the name of the copy: the node's, or one of its own if the node has lost its
 *     directory once
 * @param role what it does
 * @param epoch of the newest layout that it knows
 * @param leader the copy that leads in that epoch; empty if none has yet
 * @param voters the copies of which a majority decides
 * @param records how many it has
 * @param oldest the number of the oldest record that it has still; those before are in checkpoints
 * @param committed how many of them it knows to be on a majority
 * @param isComplete whether its vote counts, and there are as many voters as copies were asked for
 * @param isLed whether it leads, or has heard whoever leads a moment ago
 * @param followers what it knows of the other copies, if it leads
 * @param sentBytes of records and checkpoints to other copies, since the node was started
 * @param isFull whether its disk has too little room; if it leads, it refuses commits
 * @param isShortened whether damage of its disk may have cost it what it has acknowledged last, so
 *     that its vote does not count until it has all of a leader's log
 * @param failure why it takes part in nothing for now; empty if it does
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
  /** What a copy does. */
  public enum Role {
    /** Gets what another one orders. */
    FOLLOWS,
    /** Is about to lead. */
    TAKES_OVER,
    /** Orders commits and answers reads. */
    LEADS
  }

  /**
   * What a leader knows of another copy.
   *
   * @param replica its name
   * @param isVoter whether its vote counts; otherwise it learns what the others have
   * @param isSilent whether it was not heard for a second and a half
   * @param isFull whether its disk has too little room
   * @param behind how many records it lacks
   */
  public record Follower(
      String replica, boolean isVoter, boolean isSilent, boolean isFull, long behind) {}

  /** Copies the lists. */
  public PartitionReplicaLocation {
    voters = List.copyOf(voters);
    followers = List.copyOf(followers);
  }

  /** Whether fewer copies are there than were asked for, as far as this one knows. */
  public boolean isUnderReplicated() {
    return !isComplete
        || !isLed
        || !failure.isEmpty()
        || isFull
        || isShortened
        || followers.stream().anyMatch(one -> one.isSilent() || one.isFull() || !one.isVoter());
  }
}
