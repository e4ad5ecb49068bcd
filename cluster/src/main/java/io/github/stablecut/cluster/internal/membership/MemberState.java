package io.github.stablecut.cluster.internal.membership;

/**
 * A member as the cluster's protocol knows it. Immutable.
 *
 * @param address where it listens, as {@code host:port}
 * @param uid tells it from others that had its address before
 * @param isEnding whether it leaves or is removed, so that others wait until all members know
 */
public record MemberState(String address, long uid, boolean isEnding) {}
