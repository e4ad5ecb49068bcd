package io.github.stablecut.internal.partition.replicated;

import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.FollowerStatus;
import io.github.stablecut.internal.replica.Replica;
import io.github.stablecut.journal.segment.LogSpace;
import java.util.List;
import java.util.Optional;

/**
 * The status of a replica, for administrators. Immutable.
 *
 * @param name the replica's
 * @param role its current role
 * @param configuration the newest one that it knows
 * @param committed the number after the last record that it knows to be committed
 * @param first the number of its oldest record
 * @param next the number after its last record
 * @param isComplete whether it is a voter, and each wanted node has a voter
 * @param isUpToDate whether, in addition, it leads or has everything that its leader committed
 * @param isLed whether it leads or has heard its leader within the election timeout
 * @param followers its view of the other replicas while it leads
 * @param room its disk space
 * @param isShortened whether it may have lost records that it acknowledged, so that its vote does
 *     not count until it has recovered a leader's whole log
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
  /** The last known status of a replica that has stopped handling events. */
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
