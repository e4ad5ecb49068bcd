package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;

/**
 * A transaction at its place among those that a watch is told. Immutable.
 *
 * @param writes what it has written
 * @param seen at or after all that was told up to it, and itself
 * @param token a point after which a watch goes on with what comes next: {@code seen}, unless that
 *     has more than was told; then the last such point before
 */
public record OrderedCommit(CommittedWrites writes, VectorClock seen, VectorClock token) {}
