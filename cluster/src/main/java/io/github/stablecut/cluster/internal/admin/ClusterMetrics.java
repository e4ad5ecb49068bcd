package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The cluster as one of its nodes sees it: who is there, and which partitions serve where. */
final class ClusterMetrics {
  private final ServerInfo facts;
  private final MeterRegistry registry;
  private final MultiGauge serving;

  ClusterMetrics(ServerInfo facts, MeterRegistry registry) {
    this.facts = facts;
    this.registry = registry;
    this.serving =
        MultiGauge.builder("stablecut.cluster.partition.serving")
            .description("1 if the owner of the partition answers this node")
            .register(registry);
    gauge("nodes", "nodes that this one reaches, itself included", known -> known.nodes().size());
    gauge("members", "nodes of the cluster, those included that are away", k -> k.members().size());
    gauge(
        "partitions.unreachable",
        "partitions whose owner does not answer this node",
        known -> known.partitions().stream().filter(place -> !place.isServing()).count());
    gauge("copies", "replicas of partitions on this node", known -> known.replicas().size());
    gauge(
        "replicas.failed",
        "replicas on this node that have failed and take part in nothing now",
        known -> known.replicas().stream().filter(replica -> !replica.failure().isEmpty()).count());
    gauge(
        "replicas.underreplicated",
        "replicas on this node that know of fewer than were asked for",
        known ->
            known.replicas().stream().filter(PartitionReplicaLocation::isUnderReplicated).count());
    gauge(
        "replicas.unspread",
        "partitions that are to have replicas in fewer zones than they could be in",
        ServerInfo::replicasNotSpread);
    gauge(
        "register.leaders",
        "1 if a node is known to lead the register of who leads partitions",
        known -> known.registerPlace().filter(one -> !one.leader().isEmpty()).isPresent() ? 1 : 0);
    gauge(
        "register.lacking",
        "nodes that are to keep that register and do not, or do not answer its leader",
        known ->
            known.registerPlace().map(one -> one.missing().size() + one.silent().size()).orElse(0));
    gauge(
        "zones",
        "zones that reachable nodes have said",
        known -> known.zones().values().stream().distinct().count());
    var unused =
        FunctionCounter.builder("stablecut.cluster.replicas.sent", facts, ClusterMetrics::sentBytes)
            .baseUnit(BaseUnits.BYTES)
            .description("records and checkpoints that replicas on this node have sent to others")
            .register(registry);
    gauge("partitions.owned", "partitions on this node", ClusterMetrics::owned);
  }

  private void gauge(String name, String description, ToDoubleFunction<ServerInfo> value) {
    var unused =
        Gauge.builder("stablecut.cluster." + name, facts, value)
            .description(description)
            .strongReference(true)
            .register(registry);
  }

  private static double sentBytes(ServerInfo facts) {
    return facts.replicas().stream().mapToLong(PartitionReplicaLocation::sentBytes).sum();
  }

  private static double owned(ServerInfo facts) {
    String self = facts.node().orElse("");
    return facts.partitions().stream().filter(place -> place.node().equals(self)).count();
  }

  /** A line for each partition, with its owner. */
  synchronized void update() {
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    for (PartitionLocation place : facts.partitions()) {
      rows.add(
          MultiGauge.Row.of(
              Tags.of("partition", Integer.toString(place.partition()), "node", place.node()),
              place.isServing() ? 1 : 0));
    }
    serving.register(rows, true);
  }
}
