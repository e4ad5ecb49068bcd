package io.github.stablecut.cluster.internal.membership;

/**
 * A member according to Akka's cluster. Immutable.
 *
 * @param address the member's address, as {@code host:port}
 * @param uid distinguishes it from earlier members at the same address
 * @param isEnding whether it is leaving or being removed, which completes once all members know
 */
public record MemberState(String address, long uid, boolean isEnding) {}
