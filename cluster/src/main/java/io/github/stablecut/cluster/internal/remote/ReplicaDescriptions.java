package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.PartitionReplicaDigest;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.internal.partition.replicated.ReplicaDigest;
import io.github.stablecut.internal.partition.replicated.ReplicaStatus;
import io.github.stablecut.internal.replica.FollowerStatus;
import io.github.stablecut.internal.replica.Replica;
import io.github.stablecut.journal.segment.LogSpace;
import java.util.List;

/** Describes replicas to administrators. */
final class ReplicaDescriptions {
  private ReplicaDescriptions() {}

  /** Describes the newest checkpoint of a replica. */
  static PartitionReplicaDigest digest(int number, ReplicaStatus status, ReplicaDigest found) {
    boolean isLeading = status.role() == Replica.Role.LEADING;
    return PartitionReplicaDigest.builder(number, status.name())
        .epoch(isLeading ? status.configuration().epoch() : 0)
        .voters(isLeading ? status.configuration().voters() : List.of())
        .checkpoint(found.at().equals(VectorClock.ZERO) ? "" : found.at() + "/" + found.frontier())
        .objects(found.objects())
        .large(found.large())
        .hash(found.hash())
        .build();
  }

  /** Describes a replica. */
  static PartitionReplicaLocation location(int number, ReplicaStatus status, long sentBytes) {
    PartitionReplicaLocation.Role role =
        switch (status.role()) {
          case FOLLOWING -> PartitionReplicaLocation.Role.FOLLOWS;
          case CAMPAIGNING, STARTING -> PartitionReplicaLocation.Role.TAKES_OVER;
          case LEADING -> PartitionReplicaLocation.Role.LEADS;
        };
    return PartitionReplicaLocation.builder(number, status.name(), role)
        .epoch(status.configuration().epoch())
        .leader(status.configuration().leader())
        .voters(status.configuration().voters())
        .records(status.next() - 1)
        .oldest(status.first())
        .committed(Math.min(status.next(), status.committed()) - 1)
        .isComplete(status.isComplete())
        .isLed(status.isLed())
        .followers(status.followers().stream().map(ReplicaDescriptions::follower).toList())
        .sentBytes(sentBytes)
        .isFull(status.room() != LogSpace.ENOUGH)
        .isShortened(status.isShortened())
        .failure(status.failure().orElse(""))
        .build();
  }

  private static PartitionReplicaLocation.Follower follower(FollowerStatus one) {
    return new PartitionReplicaLocation.Follower(
        one.replica(), one.isVoter(), one.isSilent(), one.isFull(), one.behind());
  }
}
