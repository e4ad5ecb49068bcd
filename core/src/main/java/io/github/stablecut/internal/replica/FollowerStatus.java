package io.github.stablecut.internal.replica;

/**
 * A leader's view of another replica. Immutable.
 *
 * @param replica its name
 * @param isVoter whether its vote counts
 * @param isSilent whether the leader has received nothing from it for longer than the election
 *     timeout
 * @param isFull whether its disk has too little space
 * @param behind how many of the leader's records it lacks
 */
public record FollowerStatus(
    String replica, boolean isVoter, boolean isSilent, boolean isFull, long behind) {}
