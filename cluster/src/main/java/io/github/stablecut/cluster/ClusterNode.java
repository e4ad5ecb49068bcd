package io.github.stablecut.cluster;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.BackupProgress;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.network.EventLoops;
import io.github.stablecut.cluster.internal.node.NodeRuntime;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.backup.BackupReader;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;

/**
 * A cluster node in this process: it owns some of the store's partitions, in its directory, and
 * gives access to the whole store. Thread-safe.
 *
 * <p>Without replicas, a partition is on the node that has its directory. While that node is down,
 * requests that need the partition fail with {@link
 * io.github.stablecut.error.PartitionUnavailableException}; all others succeed.
 */
public final class ClusterNode implements AutoCloseable {
  private final NodeRuntime node;

  /** An observer's temporary directory. */
  private final Optional<Path> temporary;

  private ClusterNode(NodeRuntime node, Optional<Path> temporary) {
    this.node = node;
    this.temporary = temporary;
  }

  /**
   * Begins to join a cluster; {@link #store} waits until the node has joined. A directory that is
   * empty or missing becomes that of a new node.
   *
   * @param data the node's directory
   * @param options how the partitions are opened; the number of partitions applies to a new
   *     cluster, 0 means two for each node and at least 8
   * @throws SettingsException if the node's port is unsafe or unreachable for other machines, or a
   *     seed names this node by another address than its own
   * @throws io.github.stablecut.error.StoreInUseException if the directory is in use
   * @throws JoinRefusedException if the port can't be used
   */
  public static ClusterNode join(Path data, StoreOptions options, ClusterSettings settings) {
    return join(data, options, settings, "", Optional.empty());
  }

  /**
   * As above, with a server in this process.
   *
   * @param clients where the server listens for clients, as {@code host:port}
   * @param loops the threads of the server's sockets
   */
  static ClusterNode join(
      Path data,
      StoreOptions options,
      ClusterSettings settings,
      String clients,
      Optional<EventLoops> loops) {
    return new ClusterNode(start(data, options, settings, clients, loops, false), Optional.empty());
  }

  /**
   * Begins to join an existing cluster as an observer: a node that never owns partitions and stores
   * nothing, a client with the whole interface of a store. {@link #store} waits until the node has
   * joined, for at most 20 seconds. An observer doesn't count when a cluster forms, and no
   * partition can be moved to it.
   *
   * @param options how transactions are executed; the number of partitions is 0
   * @throws SettingsException as {@link #join}
   * @throws JoinRefusedException if the port can't be used
   */
  public static ClusterNode observe(StoreOptions options, ClusterSettings settings) {
    Path temporary;
    try {
      temporary = Files.createTempDirectory("stablecut-observer");
    } catch (IOException e) {
      throw new StoreIoException(
          "can't create a temporary directory: %s; remove the cause, and try again"
              .formatted(IoReason.of(e)),
          e);
    }
    try {
      return new ClusterNode(
          start(temporary, options, settings, "", Optional.empty(), true), Optional.of(temporary));
    } catch (RuntimeException e) {
      NodeDirectory.delete(temporary);
      throw e;
    }
  }

  /**
   * Restores a backup as the directory of a node that owns all partitions: the first node of a new
   * cluster. Other nodes can {@link #join} it with empty directories, and partitions can be moved
   * to them.
   *
   * @param backup the backup of a cluster or of a store ({@link Store#backup})
   * @param data the node's directory, empty or missing
   * @param node the node's name
   * @param isReplicated whether the cluster's partitions can have replicas; each has one until
   *     {@link #changeReplicas}. Otherwise each partition exists once
   * @throws io.github.stablecut.error.BackupRefusedException if there is no finished backup, or the
   *     directory has other contents; nothing was changed
   * @throws io.github.stablecut.error.CorruptStoreException if a file of the backup is damaged or
   *     missing; no node was created
   * @throws IllegalArgumentException if {@code node} is not a valid name
   */
  public static void restore(
      Path backup, Path data, String node, boolean isReplicated, BackupProgress progress) {
    if (!NodePlan.NAME.matcher(node).matches()) {
      throw new IllegalArgumentException(
          "a node's name is 1 to 63 letters, digits, dots, hyphens and underscores, not \"%s\""
              .formatted(node));
    }
    BackupReader.restoreAsNode(backup, data, node, isReplicated, progress);
  }

  private static NodeRuntime start(
      Path data,
      StoreOptions options,
      ClusterSettings settings,
      String clients,
      Optional<EventLoops> loops,
      boolean isObserver) {
    check(options, settings);
    Endpoint endpoint = settings.endpoint();
    ServerPorts.requireSafe(endpoint, "cluster.bind", "cluster.tls");
    return NodeRuntime.start(
        NodeSettings.builder(
                settings.node(),
                data,
                options,
                new NodeSettings.Endpoint(
                    endpoint.bind(),
                    endpoint.port(),
                    settings.listenPort() == 0 ? endpoint.port() : settings.listenPort(),
                    endpoint.tls().map(ClusterNode::tls),
                    settings.secret().orElseGet(ClusterSecret::userFile),
                    settings.dataPort(),
                    settings.dataListenPort() == 0
                        ? settings.dataPort()
                        : settings.dataListenPort()),
                new NodeSettings.Formation(
                    settings.seeds(), settings.formWith(), settings.replicas(), settings.zone()))
            .moving(
                new NodeSettings.MoveLimits(
                    settings.moveBytesPerSecond(), NodeSettings.MoveLimits.DEFAULT.silence()))
            .maxClockDrift(settings.maxClockDrift())
            .isObserver(isObserver)
            .trafficBytes(settings.trafficBytes())
            .clients(clients)
            .build(),
        loops);
  }

  private static void check(StoreOptions options, ClusterSettings settings) {
    if (settings.replicas() > 1 && options.replication().isPresent()) {
      throw new SettingsException(
          "a cluster with %d replicas of each partition can't be one of several data centres yet: leave out cluster.replicas or replication.listen"
              .formatted(settings.replicas()));
    }
    if (options.durability() instanceof Durability.Periodic) {
      throw new SettingsException(
          "a cluster node syncs each commit; otherwise a crash of its machine would lose commits"
              + " that transactions on other nodes depend on: set store.durability to batch or"
              + " group");
    }
  }

  private static NodeSettings.Tls tls(TlsFiles files) {
    Optional<Path> authority = files.clientAuthority();
    if (authority.isEmpty()) {
      throw new SettingsException(
          "nodes authenticate each other by certificates: set cluster.tls.client-authority too");
    }
    return new NodeSettings.Tls(files.certificate(), files.key(), authority.get());
  }

  /**
   * Waits until this node has joined the cluster and its partitions are open.
   *
   * @return the store, closed with the node
   * @throws JoinRefusedException if the cluster refuses the node
   * @throws io.github.stablecut.error.StablecutException if a partition can't be opened
   */
  public Store store() {
    return node.await();
  }

  /**
   * Makes later pins and scans of this node's store skip the partitions that are unreachable when a
   * snapshot is pinned; their objects are missing from the results. This salvages the rest of a
   * cluster that has lost a disk. A pin or scan fails if a partition becomes unreachable later.
   *
   * @return a live view of the numbers of the skipped partitions
   */
  public Set<Integer> skipUnreachable() {
    return Collections.unmodifiableSet(node.goWithoutLost());
  }

  /** The owner and state of each partition, by number. */
  public List<PartitionLocation> partitions() {
    return node.partitions();
  }

  /** The owner of each partition, for clients; empty before the node has joined. */
  Optional<Answer.PartitionOwners> layout() {
    List<Map.Entry<String, String>> servers = List.copyOf(node.clients().entrySet());
    List<String> names = servers.stream().map(Map.Entry::getKey).toList();
    return node.plan()
        .map(
            plan ->
                new Answer.PartitionOwners(
                    plan.storeId(),
                    plan.routing(),
                    servers.stream().map(Map.Entry::getValue).toList(),
                    node.partitions().stream()
                        .map(location -> names.indexOf(location.node()))
                        .toList()));
  }

  /** This node's replicas of partitions, by number; empty if each partition exists once. */
  public List<PartitionReplicaLocation> replicas() {
    return node.replicas();
  }

  /** The names of the reachable nodes, including this one. */
  public Set<String> nodes() {
    return node.nodes();
  }

  /**
   * The addresses of the cluster's members, as {@code host:port}, including unreachable members
   * that the cluster has not removed yet.
   */
  public Set<String> members() {
    return node.members();
  }

  /**
   * Digests of the newest checkpoints of this node's replicas, for comparison with those of other
   * nodes. Replicas that have failed are left out. Empty if each partition exists once. Reads all
   * these checkpoints.
   *
   * @param progress receives the number of objects of a partition read so far; may throw
   */
  public List<PartitionReplicaDigest> digests(LongConsumer progress) {
    return node.digests(progress);
  }

  /** The names of the reachable nodes that are about to leave the cluster. */
  public Set<String> leaving() {
    return node.leaving();
  }

  /**
   * Starts moving a partition to another node. That node copies the files while the owner still
   * serves the partition; the partition is then closed briefly and opened there. {@link
   * #partitions} shows the progress.
   *
   * @param to the name of the node
   * @return the number of the move, as in {@link PartitionMove}
   * @throws MoveRefusedException if there is no such partition or node, the node already owns the
   *     partition, or the partition is being moved
   */
  @CanIgnoreReturnValue
  public long move(int partition, String to) {
    return node.move(partition, to);
  }

  /**
   * Makes this node refuse partitions for a while, so that its own can be moved away before it
   * calls {@link #leave}. The caller renews the announcement until then; if it does not, the node
   * accepts partitions again.
   *
   * @param by identifies the announcer; announcements of others stay in force
   * @param time for how long, up to an hour; zero withdraws the announcement
   * @throws IllegalArgumentException if the time is negative or longer
   * @throws MoveRefusedException if a partition is being moved to this node
   */
  public void announceLeave(String by, Duration time) {
    if (time.isNegative() || time.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          "a leave is announced for 0 s to 1 h, not " + DurationWords.of(time));
    }
    node.announceLeave(by, time);
  }

  /**
   * Agrees with the other nodes that another node replaces one that is permanently lost: it gets
   * the lost node's replicas. Returns at once if that was agreed before.
   *
   * @param lost the name of the lost node, which is unreachable and can't come back
   * @param by the name of a node without replicas, or of one to be started with an empty directory
   * @throws MoveRefusedException if a node doesn't meet these conditions, the partitions have no
   *     replicas, or too few nodes are reachable to agree
   */
  public void replace(String lost, String by) {
    node.replace(lost, by);
  }

  /**
   * Changes the number of replicas of each partition while the cluster serves. Returns once the
   * nodes have agreed on it; {@link #replicas} shows the progress on a node. Nodes without replicas
   * get some if there are too few others. In a cluster that was formed without replicas all nodes
   * must be reachable, and no partition may be moving.
   *
   * @param number 1, 3 or 5
   * @throws MoveRefusedException if the change is impossible; the message says why. If the other
   *     nodes did not answer in time, it may have been agreed nevertheless.
   */
  public void changeReplicas(int number) {
    node.changeReplicas(number);
  }

  /**
   * Spreads the replicas of partitions evenly over all nodes, including those that have none yet.
   * Returns once the nodes have agreed on it; {@link #replicas} shows the progress on a node.
   *
   * @param without the name of a node that gives up its replicas and may {@link #leave} then
   * @throws MoveRefusedException as {@link #changeReplicas}
   */
  public void spreadReplicas(Optional<String> without) {
    node.spreadReplicas(without);
  }

  /**
   * The configured number of replicas of each partition; 0 if the cluster was formed without
   * replicas and has no configuration register.
   */
  public int replicationFactor() {
    return node.plan().filter(NodePlan::isReplicated).map(NodePlan::replicationFactor).orElse(0);
  }

  /**
   * The zones of the reachable nodes that have one ({@link ClusterSettings#zone}), by the names of
   * the nodes.
   */
  public Map<String, String> zones() {
    return node.zones();
  }

  /**
   * Returns the number of partitions with replicas in fewer zones than possible, because nodes
   * joined later or replaced others. {@link #spreadReplicas} moves these replicas.
   */
  public int replicasNotSpread() {
    return node.notSpread();
  }

  /**
   * Returns the number of replicas on reachable nodes that lead, or have every record that their
   * leaders have committed. If these are {@link #replicationFactor} of each partition, any node may
   * be restarted.
   */
  public int replicasUpToDate() {
    return node.replicasUpToDate();
  }

  /**
   * The partitions with fewer working replicas than configured, by number, as their leaders on
   * reachable nodes see them; partitions without a leader are not among them.
   */
  public List<ReplicaShortage> shortages() {
    return node.shortages();
  }

  /** Whether this node is a planned member of the configuration register. */
  public boolean keepsRegister() {
    return node.keepsRegister();
  }

  /**
   * The members of the configuration register, as this node has learned in the last seconds; empty
   * if each partition exists once. If the register {@linkplain RegisterLocation#isComplete() is
   * complete} and all replicas are up to date, any node may be restarted.
   */
  public Optional<RegisterLocation> registerLocation() {
    return node.registerPlace();
  }

  /**
   * The partitions that are lost with nodes that are permanently lost, in a cluster whose
   * partitions exist once. Changes nothing.
   *
   * @param nodes the names of the lost nodes
   * @return the partitions that restart empty if the nodes are forgotten
   * @throws MoveRefusedException if the nodes can't be forgotten: one is reachable, another node
   *     must be asked, or the partitions have replicas
   */
  public Set<Integer> partitionsLostWith(Set<String> nodes) {
    return Set.copyOf(node.lostWith(nodes));
  }

  /**
   * Forgets nodes that are permanently lost, with all data that only they had: their partitions
   * restart empty on this node. A forgotten node that comes back with its directory is refused.
   * Commits that a lost partition coordinated may stay applied in part, and session requests that
   * it had executed may be executed again.
   *
   * @param nodes the names of the lost nodes
   * @param partitions the result of {@link #partitionsLostWith}
   * @throws MoveRefusedException if that set has changed, or as {@link #partitionsLostWith} does;
   *     nothing was changed, unless the message states otherwise
   */
  public void forget(Set<String> nodes, Set<Integer> partitions) {
    node.forget(nodes, partitions);
  }

  /**
   * Leaves the cluster after all partitions of this node were moved away. {@link #ended} completes
   * with a {@link NodeLeftException}, and the caller closes the node.
   *
   * @throws MoveRefusedException if the node owns partitions, or is receiving one
   */
  public void leave() {
    node.leave();
  }

  /** Like {@link NodeRuntime#gather}. */
  void gather() {
    node.gather();
  }

  /** Like {@link NodeRuntime#renewOthers}. */
  void renewOthers(String address, long group) {
    node.renewOthers(address, group);
  }

  /** Like {@link NodeRuntime#renewal}. */
  Optional<Request.Renew> renewal() {
    return node.renewal();
  }

  /**
   * Completes with the reason when the node has left, could not join, or was removed by the
   * cluster, or when an error on one of its threads stops its communication. The node then serves
   * no requests; the caller closes it and may start it again.
   */
  public CompletionStage<RuntimeException> ended() {
    return node.ended();
  }

  /** The message of the reason in {@link #ended}; empty while the node is a member. */
  public Optional<String> end() {
    return node.end();
  }

  /** Warnings for administrators while the node serves, such as of a competing cluster. */
  public List<String> warnings() {
    return node.warnings();
  }

  /**
   * Leaves the cluster until the next start, makes submitted commits durable, and closes the
   * partitions.
   */
  @Override
  public void close() {
    node.close();
    temporary.ifPresent(NodeDirectory::delete);
  }
}
