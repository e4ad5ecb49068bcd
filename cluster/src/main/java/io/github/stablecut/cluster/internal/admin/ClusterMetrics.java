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

/** Metrics of the cluster as one node sees it: members, partitions and replicas. */
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
    gauge("nodes", "nodes that this node reaches, including itself", known -> known.nodes().size());
    gauge(
        "members",
        "nodes of the cluster, including unreachable ones",
        known -> known.members().size());
    gauge(
        "partitions.unreachable",
        "partitions whose owner does not answer this node",
        known -> known.partitions().stream().filter(location -> !location.isServing()).count());
    gauge("replicas", "replicas of partitions on this node", known -> known.replicas().size());
    gauge(
        "replicas.failed",
        "replicas on this node that have failed",
        known -> known.replicas().stream().filter(replica -> !replica.failure().isEmpty()).count());
    gauge(
        "replicas.underreplicated",
        "replicas on this node that know of too few working replicas",
        known ->
            known.replicas().stream().filter(PartitionReplicaLocation::isUnderReplicated).count());
    gauge(
        "replicas.missing",
        "replicas of all partitions that are silent, catching up, on a full disk or not placed, as reported by their leaders",
        Degradation::missingReplicas);
    gauge(
        "replicas.unspread",
        "partitions with replicas in fewer zones than possible",
        ServerInfo::replicasNotSpread);
    gauge(
        "register.leaders",
        "1 if the configuration register has a known leader",
        known ->
            known.registerLocation().filter(one -> !one.leader().isEmpty()).isPresent() ? 1 : 0);
    gauge(
        "register.lacking",
        "planned members of the configuration register that have not joined or do not answer its leader",
        known ->
            known
                .registerLocation()
                .map(one -> one.missing().size() + one.silent().size())
                .orElse(0));
    gauge(
        "zones",
        "zones of the reachable nodes",
        known -> known.zones().values().stream().distinct().count());
    FunctionCounter.builder("stablecut.cluster.replicas.sent", facts, ClusterMetrics::sentBytes)
        .baseUnit(BaseUnits.BYTES)
        .description("records and checkpoints sent by replicas on this node to others")
        .register(registry);
    gauge("partitions.owned", "partitions that this node owns", ClusterMetrics::owned);
  }

  private void gauge(String name, String description, ToDoubleFunction<ServerInfo> value) {
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
    return facts.partitions().stream().filter(location -> location.node().equals(self)).count();
  }

  /** Updates the gauges of the partitions and their owners. */
  synchronized void update() {
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    for (PartitionLocation location : facts.partitions()) {
      rows.add(
          MultiGauge.Row.of(
              Tags.of("partition", Integer.toString(location.partition()), "node", location.node()),
              location.isServing() ? 1 : 0));
    }
    serving.register(rows, true);
  }
}
