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

/** What is on the disk of a {@link SimulatedNode}; it may be copied, and put back later. */
final class SimulatedDirectory {
  /** An epoch that a directory has noted of a partition: it opened it, got it or gave it away. */
  private record Noted(int partition, long epoch) {}

  private Optional<NodePlan> plan = Optional.empty();
  private final Map<Integer, Long> has = new TreeMap<>();
  private final Map<Integer, GossipedNodeState.Ownership> gave = new TreeMap<>();
  private final Set<Noted> noted = new HashSet<>();
  private Set<String> remembered = Set.of();

  SimulatedDirectory copy() {
    SimulatedDirectory copy = new SimulatedDirectory();
    copy.plan = plan;
    copy.has.putAll(has);
    copy.gave.putAll(gave);
    copy.noted.addAll(noted);
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

  /** Partitions that it has, with their epochs. */
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

  /** Makes it a directory of a cluster. */
  void form(NodePlan newest, List<GossipedNodeState.Ownership> elsewhere) {
    plan = Optional.of(newest);
    newest.given(newest.name()).forEach(partition -> has.put(partition, 0L));
    for (GossipedNodeState.Ownership one : elsewhere) {
      var unused = has.remove(one.partition());
      var unusedToo = gave.put(one.partition(), one);
    }
  }

  /** Takes the next epoch of a partition that it has. */
  long raise(int partition) {
    long epoch = has.merge(partition, 1L, Long::sum);
    noted.add(new Noted(partition, epoch));
    return epoch;
  }

  void give(int partition, String node, long epoch) {
    var unused = has.remove(partition);
    var unusedToo = gave.put(partition, new GossipedNodeState.Ownership(partition, node, epoch));
    noted.add(new Noted(partition, epoch));
  }

  void take(int partition, long epoch) {
    var unused = gave.remove(partition);
    var unusedToo = has.put(partition, epoch);
    noted.add(new Noted(partition, epoch));
  }

  /**
   * Whether a newer state of this directory has noted something of a partition, up to an epoch that
   * somebody has heard of, that this one lacks.
   */
  boolean lacks(GossipedNodeState.Ownership heard, SimulatedDirectory newer) {
    return newer.noted.stream()
        .filter(one -> one.partition() == heard.partition() && one.epoch() <= heard.epoch())
        .anyMatch(one -> !noted.contains(one));
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
