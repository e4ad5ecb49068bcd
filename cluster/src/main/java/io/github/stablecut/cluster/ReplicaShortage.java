package io.github.stablecut.cluster;

import java.util.ArrayList;
import java.util.List;

/**
 * A partition with fewer working replicas than configured, as its leader sees it. The loss of more
 * replicas may make it unavailable. Immutable.
 *
 * @param partition the partition's number
 * @param working how many voters work, including the leader
 * @param reasons what is wrong with the other replicas that there are, such as {@code n2 is silent}
 */
public record ReplicaShortage(int partition, int working, List<String> reasons) {
  /** Copies the reasons. */
  public ReplicaShortage {
    reasons = List.copyOf(reasons);
  }

  /** The shortage of a partition that a replica leads. */
  static ReplicaShortage of(PartitionReplicaLocation leader) {
    List<String> reasons = new ArrayList<>();
    if (leader.isFull()) {
      reasons.add("the disk of %s is full".formatted(leader.replica()));
    }
    int working = leader.isFull() ? 0 : 1;
    for (PartitionReplicaLocation.Follower one : leader.followers()) {
      if (one.isSilent()) {
        reasons.add("%s is silent".formatted(one.replica()));
      } else if (one.isFull()) {
        reasons.add("the disk of %s is full".formatted(one.replica()));
      } else if (!one.isVoter()) {
        reasons.add("%s is catching up".formatted(one.replica()));
      } else {
        working++;
      }
    }
    return new ReplicaShortage(leader.partition(), working, reasons);
  }
}
