package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The directory of a {@link SimulatedNode}, which may be copied and restored later. */
final class SimulatedDirectory {
  /** A recorded epoch of a partition, from opening it, receiving it, or giving it away. */
  private record RecordedEpoch(int partition, long epoch) {}

  private Optional<NodePlan> plan = Optional.empty();
  private final Map<Integer, Long> has = new TreeMap<>();
  private final Map<Integer, GossipedNodeState.Ownership> gave = new TreeMap<>();
  private final Set<RecordedEpoch> recorded = new HashSet<>();
  private Set<String> remembered = Set.of();

  SimulatedDirectory copy() {
    SimulatedDirectory copy = new SimulatedDirectory();
    copy.plan = plan;
    copy.has.putAll(has);
    copy.gave.putAll(gave);
    copy.recorded.addAll(recorded);
    copy.remembered = remembered;
    return copy;
  }

  Optional<NodePlan> plan() {
    return plan;
  }

  long storeId() {
    return plan.map(NodePlan::storeId).orElse(0L);
  }

  boolean isFormed() {
    return plan.map(NodePlan::isFormed).orElse(false);
  }

  /** The node's partitions, with their epochs. */
  Map<Integer, Long> has() {
    return has;
  }

  long newestEpoch() {
    return has.values().stream().reduce(0L, Math::max);
  }

  List<GossipedNodeState.Ownership> gave() {
    return List.copyOf(gave.values());
  }

  Set<String> remembered() {
    return remembered;
  }

  void remember(Set<String> members) {
    remembered = members;
  }

  void markFormed() {
    plan = plan.map(NodePlan::formed);
  }

  /** Initializes the directory with the plan of a cluster. */
  void form(NodePlan newest, List<GossipedNodeState.Ownership> elsewhere) {
    plan = Optional.of(newest);
    newest.assignedTo(newest.name()).forEach(partition -> has.put(partition, 0L));
    for (GossipedNodeState.Ownership one : elsewhere) {
      has.remove(one.partition());
      gave.put(one.partition(), one);
    }
  }

  /** Records and returns the next epoch of one of the node's partitions. */
  long raise(int partition) {
    long epoch = has.merge(partition, 1L, Long::sum);
    recorded.add(new RecordedEpoch(partition, epoch));
    return epoch;
  }

  void give(int partition, String node, long epoch) {
    has.remove(partition);
    gave.put(partition, new GossipedNodeState.Ownership(partition, node, epoch));
    recorded.add(new RecordedEpoch(partition, epoch));
  }

  void take(int partition, long epoch) {
    gave.remove(partition);
    has.put(partition, epoch);
    recorded.add(new RecordedEpoch(partition, epoch));
  }

  /**
   * Whether this directory lacks an epoch that a newer state of it has recorded, up to a known
   * epoch of the partition.
   */
  boolean lacks(GossipedNodeState.Ownership heard, SimulatedDirectory newer) {
    return newer.recorded.stream()
        .filter(one -> one.partition() == heard.partition() && one.epoch() <= heard.epoch())
        .anyMatch(one -> !recorded.contains(one));
  }

  List<PartitionClaim> claims() {
    List<PartitionClaim> claims = new ArrayList<>();
    has.forEach((p, epoch) -> claims.add(new PartitionClaim(p, PartitionClaim.Kind.HAS, epoch)));
    gave.values()
        .forEach(
            one ->
                claims.add(
                    new PartitionClaim(one.partition(), PartitionClaim.Kind.GAVE, one.epoch())));
    return claims;
  }
}
