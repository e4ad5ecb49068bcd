package io.github.stablecut.cluster;

import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.cluster.internal.admin.ServerInfo;
import io.github.stablecut.cluster.internal.datacentre.DataCentreCommands;
import io.github.stablecut.cluster.internal.datacentre.ServedStore;
import io.github.stablecut.cluster.internal.service.handle.ClientHandles;
import io.github.stablecut.cluster.internal.service.handle.OpenTransactions;
import io.github.stablecut.error.StoreClosedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** The facts about a {@link Server} for the admin port. Thread-safe. */
final class ServerFacts implements ServerInfo {
  private final ServerPorts ports;
  private final OpenTransactions transactions;
  private final ClientHandles handles;
  private final ServedStore store;
  private final ServerSettings settings;
  private final DataCentreCommands dataCentre;
  private final Supplier<Optional<ClusterNode>> clusterNode;
  private final BooleanSupplier isStopping;

  private volatile Optional<StoreStatus> lastStatus = Optional.empty();

  /**
   * @param clusterNode returns the node of a cluster that the server is; empty if it is none
   * @param isStopping returns whether the server is shutting down
   */
  ServerFacts(
      ServerPorts ports,
      OpenTransactions transactions,
      ClientHandles handles,
      ServedStore store,
      ServerSettings settings,
      DataCentreCommands dataCentre,
      Supplier<Optional<ClusterNode>> clusterNode,
      BooleanSupplier isStopping) {
    this.ports = ports;
    this.transactions = transactions;
    this.handles = handles;
    this.store = store;
    this.settings = settings;
    this.dataCentre = dataCentre;
    this.clusterNode = clusterNode;
    this.isStopping = isStopping;
  }

  @Override
  public int connections() {
    return ports.listener().connections();
  }

  @Override
  public int transactions() {
    return transactions.count();
  }

  @Override
  public Map<String, Integer> handles() {
    return handles.countByKind();
  }

  @Override
  public Optional<String> trouble() {
    return isStopping.getAsBoolean()
        ? Optional.of("the server is stopping")
        : clusterNode.get().flatMap(ClusterNode::end).or(this::ofStore);
  }

  private Optional<String> ofStore() {
    return store.find().isEmpty()
        ? Optional.of("the store is joining other data centres")
        : store().journal().problems().stream().findFirst();
  }

  @Override
  public List<String> warnings() {
    return clusterNode.get().map(ClusterNode::warnings).orElse(List.of());
  }

  @Override
  public StoreStatus store() {
    try {
      lastStatus = store.find().map(Store::status).or(() -> lastStatus);
    } catch (StoreClosedException e) {
      // The store is being exchanged: the last status stands.
    }
    return lastStatus.orElseGet(() -> store.get().status());
  }

  @Override
  public Path directory() {
    return settings.data();
  }

  @Override
  public DataCentreCommands dataCentre() {
    return dataCentre;
  }

  @Override
  public List<PartitionLocation> partitions() {
    return clusterNode.get().map(ClusterNode::partitions).orElse(List.of());
  }

  @Override
  public List<PartitionReplicaLocation> replicas() {
    return clusterNode.get().map(ClusterNode::replicas).orElse(List.of());
  }

  @Override
  public List<PartitionReplicaDigest> digests(LongConsumer progress) {
    return clusterNode.get().map(node -> node.digests(progress)).orElse(List.of());
  }

  @Override
  public Set<String> nodes() {
    return clusterNode.get().map(ClusterNode::nodes).orElse(Set.of());
  }

  @Override
  public Set<String> members() {
    return clusterNode.get().map(ClusterNode::members).orElse(Set.of());
  }

  @Override
  public Optional<String> node() {
    return settings.cluster().map(ClusterSettings::node);
  }

  @Override
  public long move(int partition, String to) {
    return clustered().move(partition, to);
  }

  @Override
  public Set<String> leaving() {
    return clusterNode.get().map(ClusterNode::leaving).orElse(Set.of());
  }

  @Override
  public void announceLeave(String by, Duration time) {
    clustered().announceLeave(by, time);
  }

  @Override
  public void leave() {
    clustered().leave();
  }

  @Override
  public void replace(String lost, String by) {
    clustered().replace(lost, by);
  }

  @Override
  public void changeReplicas(int number) {
    clustered().changeReplicas(number);
  }

  @Override
  public void spreadReplicas(Optional<String> without) {
    clustered().spreadReplicas(without);
  }

  @Override
  public int replicationFactor() {
    return clusterNode.get().map(ClusterNode::replicationFactor).orElse(0);
  }

  @Override
  public Map<String, String> zones() {
    return clusterNode.get().map(ClusterNode::zones).orElse(Map.of());
  }

  @Override
  public int replicasNotSpread() {
    return clusterNode.get().map(ClusterNode::replicasNotSpread).orElse(0);
  }

  @Override
  public int replicasUpToDate() {
    return clusterNode.get().map(ClusterNode::replicasUpToDate).orElse(0);
  }

  @Override
  public List<ReplicaShortage> shortages() {
    return clusterNode.get().map(ClusterNode::shortages).orElse(List.of());
  }

  @Override
  public boolean keepsRegister() {
    return clusterNode.get().filter(ClusterNode::keepsRegister).isPresent();
  }

  @Override
  public Optional<RegisterLocation> registerLocation() {
    return clusterNode.get().flatMap(ClusterNode::registerLocation);
  }

  @Override
  public Set<Integer> partitionsLostWith(Set<String> nodes) {
    return clustered().partitionsLostWith(nodes);
  }

  @Override
  public void forget(Set<String> nodes, Set<Integer> partitions) {
    clustered().forget(nodes, partitions);
  }

  private ClusterNode clustered() {
    return clusterNode
        .get()
        .orElseThrow(
            () ->
                new MoveRefusedException(
                    "this server is not a cluster node: start it with --join"));
  }
}
