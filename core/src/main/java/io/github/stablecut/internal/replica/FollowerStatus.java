package io.github.stablecut.internal.replica;

/**
 * What a leader knows of another copy. Immutable.
 *
 * @param replica its name
 * @param isVoter whether its vote counts
 * @param isSilent whether it was not heard for a moment
 * @param isFull whether its disk has too little room
 * @param behind how many records of the leader it lacks
 */
public record FollowerStatus(
    String replica, boolean isVoter, boolean isSilent, boolean isFull, long behind) {}
