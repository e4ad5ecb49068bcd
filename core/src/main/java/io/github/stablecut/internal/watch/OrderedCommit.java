package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;

/**
 * A transaction in the order in which a watch delivers them. Immutable.
 *
 * @param writes the objects that it has written
 * @param seen a vector at or after this and all previously delivered transactions
 * @param token a point after which a watch resumes with the next transaction: {@code seen}, or the
 *     last earlier such point if {@code seen} includes undelivered transactions
 */
public record OrderedCommit(CommittedWrites writes, VectorClock seen, VectorClock token) {}
