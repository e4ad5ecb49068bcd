package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.Latencies;
import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionMove;
import io.github.stablecut.console.ConsoleSource;
import io.github.stablecut.replication.DataCentre;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** The console's view of a server. Thread-safe. */
final class ServerConsole implements ConsoleSource {
  private final ServerInfo facts;
  private final Metrics metrics;
  private final Supplier<Store> store;

  ServerConsole(ServerInfo facts, Metrics metrics, Supplier<Store> store) {
    this.facts = facts;
    this.metrics = metrics;
    this.store = store;
  }

  @Override
  public Store store() {
    return store.get();
  }

  @Override
  public StoreStatus status() {
    return facts.store();
  }

  @Override
  public String name() {
    return facts
        .node()
        .map(node -> "node " + node)
        .orElseGet(() -> "server of " + facts.directory());
  }

  @Override
  public List<Node> nodes() {
    Set<String> reached = facts.nodes();
    Set<String> leaving = facts.leaving();
    Set<String> known = new TreeSet<>(reached);
    facts.partitions().forEach(location -> known.add(location.node()));
    List<Node> nodes = new ArrayList<>();
    for (String name : known) {
      if (!name.isEmpty()) {
        nodes.add(new Node(name, state(name, reached, leaving)));
      }
    }
    return nodes;
  }

  private State state(String name, Set<String> reached, Set<String> leaving) {
    if (facts.node().equals(Optional.of(name))) {
      return State.HERE;
    }
    if (!reached.contains(name)) {
      return State.AWAY;
    }
    boolean isSilent =
        facts.partitions().stream()
            .anyMatch(location -> location.node().equals(name) && !location.isServing());
    if (isSilent) {
      return State.AWAY;
    }
    return leaving.contains(name) ? State.LEAVING : State.REACHABLE;
  }

  @Override
  public List<ConsoleSource.Partition> places() {
    return facts.partitions().stream().map(ServerConsole::place).toList();
  }

  private static ConsoleSource.Partition place(PartitionLocation location) {
    return new Partition(
        location.partition(),
        location.node(),
        location.isServing(),
        location.lag().toMillis(),
        location.moves().stream()
            .filter(ServerConsole::isInProgress)
            .findFirst()
            .map(ServerConsole::move));
  }

  private static boolean isInProgress(PartitionMove move) {
    return move.state() == PartitionMove.State.COPYING
        || move.state() == PartitionMove.State.SWITCHING;
  }

  private static Move move(PartitionMove move) {
    long percent = move.totalBytes() == 0 ? 0 : 100 * move.copiedBytes() / move.totalBytes();
    return new Move(move.to(), (int) Math.min(100, percent));
  }

  @Override
  public Optional<Cluster> cluster() {
    List<PartitionLocation> all = facts.partitions();
    return all.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Cluster(
                facts.members().size(),
                facts.nodes().size(),
                all.size(),
                (int) all.stream().filter(PartitionLocation::isServing).count(),
                facts.replicationFactor() * all.size(),
                facts.replicasUpToDate()));
  }

  @Override
  public List<ReplicaGroup> replicas() {
    return ReplicaGroups.of(facts);
  }

  @Override
  public List<DataCentre> otherDataCentres() {
    return Metrics.others(facts.dataCentre());
  }

  @Override
  public Map<String, Latencies> requests() {
    return metrics.latencies();
  }

  @Override
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>(facts.warnings());
    facts.trouble().ifPresent(warnings::add);
    Degradation.of(facts).ifPresent(warnings::add);
    return warnings;
  }
}
