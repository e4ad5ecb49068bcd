package io.github.stablecut.internal.partition;

import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.FollowerStatus;
import io.github.stablecut.internal.replica.Replica;
import io.github.stablecut.journal.LogSpace;
import java.util.List;
import java.util.Optional;

/**
 * What an operator sees of a copy. Immutable.
 *
 * @param name the copy's
 * @param role what it does
 * @param configuration the newest one that it knows
 * @param committed the number behind the last record that it knows to be committed
 * @param first the number of the oldest record that it has
 * @param next the number behind its last record
 * @param isComplete whether it is a voter, and there are as many as there are to be
 * @param isUpToDate whether, besides, it leads, or has all that its leader has committed
 * @param isLed whether it leads, or has heard its leader a moment ago
 * @param followers what it knows of the other copies while it leads
 * @param room how much there is on its disk
 * @param isShortened whether it may have lost what it has acknowledged last, so that its vote does
 *     not count until it has all of a leader's log
 * @param failure why it takes part in nothing; empty if it does
 */
public record ReplicaStatus(
    String name,
    Replica.Role role,
    Configuration configuration,
    long committed,
    long first,
    long next,
    boolean isComplete,
    boolean isUpToDate,
    boolean isLed,
    List<FollowerStatus> followers,
    LogSpace room,
    boolean isShortened,
    Optional<String> failure) {
  /** What was so when it did something last, of one that takes part in nothing now. */
  ReplicaStatus stopped(String why) {
    return new ReplicaStatus(
        name,
        role,
        configuration,
        committed,
        first,
        next,
        isComplete,
        false,
        false,
        followers,
        room,
        isShortened,
        Optional.of(why));
  }
}
