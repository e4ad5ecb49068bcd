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
import io.github.stablecut.journal.JvmFlags;
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
 * A node of a cluster in this process: some of the partitions of a store in its directory, and the
 * whole store through it. Thread-safe.
 *
 * <p>A partition is where its directory is. While its node is away, what needs it fails with {@link
 * io.github.stablecut.error.PartitionUnavailableException}, and all else goes on.
 */
public final class ClusterNode implements AutoCloseable {
  private final NodeRuntime node;

  /** A visitor's directory. */
  private final Optional<Path> temporary;

  private ClusterNode(NodeRuntime node, Optional<Path> temporary) {
    this.node = node;
    this.temporary = temporary;
  }

  /**
   * Begins to join a cluster; {@link #store} waits until that is done. A directory that is empty or
   * not there becomes that of a new node.
   *
   * @param data the node's directory
   * @param options how the partitions are opened; the number of partitions is that of a new
   *     cluster, 0 for twice as many as nodes and 8 at least
   * @throws SettingsException if others could reach the node's port without being asked who they
   *     are, or could not reach it at all, or the node is a seed under another name than its own
   * @throws io.github.stablecut.error.StoreInUseException if the directory is in use
   * @throws JoinRefusedException if the port can't be used
   */
  public static ClusterNode join(Path data, StoreOptions options, ClusterSettings settings) {
    return join(data, options, settings, "", Optional.empty());
  }

  /**
   * As above, with a server in this process.
   *
   * @param clients where it listens for clients, as {@code host:port}
   * @param loops the threads of its sockets
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
   * Begins to join a cluster that is complete, as a node that never has partitions and keeps
   * nothing: a client with the whole interface of a store. {@link #store} waits until that is done,
   * for 20 seconds at most. It counts for nothing when a cluster is made, and no partition can be
   * moved to it.
   *
   * @param options how transactions are executed; the number of partitions is 0
   * @throws SettingsException as {@link #join}
   * @throws JoinRefusedException if the port can't be used
   */
  public static ClusterNode visit(StoreOptions options, ClusterSettings settings) {
    Path temporary;
    try {
      temporary = Files.createTempDirectory("stablecut-observer");
    } catch (IOException e) {
      throw new StoreIoException(
          "there is no place for temporary files: %s; remove the cause, and try again"
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
   * Makes of a backup the directory of a node that has all partitions: the first one of a new
   * cluster, which others can {@link #join} with empty directories, and to which partitions can be
   * moved.
   *
   * @param backup of a cluster or of a store ({@link Store#backup})
   * @param data empty or not there
   * @param node the node's name
   * @param isReplicated whether the cluster's partitions can have copies, of which each has one
   *     until {@link #changeReplicas}; otherwise each exists once
   * @throws io.github.stablecut.error.BackupRefusedException if there is no finished backup, or the
   *     directory is something else; nothing was changed
   * @throws io.github.stablecut.error.CorruptStoreException if a file of the backup is damaged or
   *     missing; no node was made
   * @throws IllegalArgumentException if that is no name of a node
   */
  public static void restore(
      Path backup, Path data, String node, boolean isReplicated, BackupProgress progress) {
    JvmFlags.check();
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
    JvmFlags.check();
    check(options, settings);
    Endpoint endpoint = settings.endpoint();
    var unused = ServerPorts.address(endpoint, "cluster.bind", "cluster.tls");
    return NodeRuntime.start(
        new NodeSettings(
            settings.node(),
            data,
            options,
            new NodeSettings.Endpoint(
                endpoint.bind(),
                endpoint.port(),
                settings.listenPort() == 0 ? endpoint.port() : settings.listenPort(),
                endpoint.tls().map(ClusterNode::tls),
                settings.secret().orElseGet(ClusterSecret::userFile),
                settings.linkPort()),
            new NodeSettings.Forming(
                settings.seeds(), settings.formWith(), settings.replicas(), settings.zone()),
            new NodeSettings.Moving(
                settings.moveBytesPerSecond(), NodeSettings.Moving.DEFAULT.silence()),
            settings.maxClockDrift(),
            isObserver,
            settings.trafficBytes(),
            clients),
        loops);
  }

  private static void check(StoreOptions options, ClusterSettings settings) {
    if (settings.replicas() > 1 && options.replication().isPresent()) {
      throw new SettingsException(
          "a cluster with %d replicas of each partition can't be a data centre among others yet: leave out cluster.replicas, or replication.listen"
              .formatted(settings.replicas()));
    }
    if (options.durability() instanceof Durability.Periodic) {
      throw new SettingsException(
          "a node of a cluster syncs each commit, as otherwise a crash of its machine would take"
              + " back what transactions on other nodes depend on: set store.durability to batch or"
              + " group");
    }
  }

  private static NodeSettings.Tls tls(TlsFiles files) {
    Optional<Path> authority = files.clientAuthority();
    if (authority.isEmpty()) {
      throw new SettingsException(
          "nodes ask each other for certificates: say cluster.tls.client-authority too");
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
   * From now on pins and scans of this node's store go without the partitions that can't be reached
   * when a snapshot is pinned: what these have is missing. For what is left of a cluster that has
   * lost a disk. A partition that gets lost later makes them fail.
   *
   * @return the numbers of those that are left out, up to now and later
   */
  public Set<Integer> goWithoutLost() {
    return Collections.unmodifiableSet(node.goWithoutLost());
  }

  /** The owner and state of each partition, by number. */
  public List<PartitionLocation> partitions() {
    return node.partitions();
  }

  /** Who has which partition, for clients; empty before the node has joined. */
  Optional<Answer.Layout> layout() {
    List<Map.Entry<String, String>> servers = List.copyOf(node.clients().entrySet());
    List<String> names = servers.stream().map(Map.Entry::getKey).toList();
    return node.plan()
        .map(
            plan ->
                new Answer.Layout(
                    plan.storeId(),
                    plan.routing(),
                    servers.stream().map(Map.Entry::getValue).toList(),
                    node.partitions().stream().map(place -> names.indexOf(place.node())).toList()));
  }

  /** This node's copies of partitions, by number; empty if each partition exists once. */
  public List<PartitionReplicaLocation> replicas() {
    return node.replicas();
  }

  /** The names of the reachable nodes, including this one. */
  public Set<String> nodes() {
    return node.nodes();
  }

  /**
   * The addresses of the cluster's members, as {@code host:port}, including unreachable members
   * that are not removed yet.
   */
  public Set<String> members() {
    return node.members();
  }

  /**
   * What the newest checkpoints of this node's copies of partitions hold, to be compared with those
   * of other nodes; without those that take part in nothing. Empty if each partition exists once.
   * Takes as long as reading all of them.
   *
   * @param progress hears how many objects of a partition were read so far, and may throw
   */
  public List<PartitionReplicaDigest> digests(LongConsumer progress) {
    return node.digests(progress);
  }

  /** The names of the reachable nodes that are about to leave the cluster. */
  public Set<String> leaving() {
    return node.leaving();
  }

  /**
   * Starts to move a partition to another node: the node copies the files while this cluster serves
   * the partition, which is then closed for a moment and opened there. {@link #partitions} shows
   * the progress.
   *
   * @param to the name of the node
   * @return the number of the move, as in {@link PartitionMove}
   * @throws MoveRefusedException if there is no such partition or node, or the partition is there
   *     already, or is being moved
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
   * @param by who announces it: another one's announcement stays in force
   * @param time for how long, up to an hour; zero to take the announcement back
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
   * Agrees with the other nodes that a node which is lost for ever is replaced by another one: the
   * copies of partitions that it had are to be there. Done at once if it was agreed on before.
   *
   * @param lost the name of the lost node, which can't be reached, and can't come back
   * @param by the name of a node without copies, or of one to be started with an empty directory
   * @throws MoveRefusedException if the nodes are not so, the partitions have no copies, or too few
   *     nodes are there to agree
   */
  public void replace(String lost, String by) {
    node.replace(lost, by);
  }

  /**
   * Has each partition get so many copies while the cluster serves, or give some up. Returns once
   * the nodes have agreed on that; {@link #replicas} shows the progress on a node. Nodes that have
   * no copies yet get some, if there are too few others. In a cluster that was formed with one copy
   * all nodes have to be there, and no partition may be moved.
   *
   * @param number 1, 3 or 5
   * @throws MoveRefusedException if that can't be: the message says why. It may have been agreed on
   *     all the same if the others did not answer in time.
   */
  public void changeReplicas(int number) {
    node.changeReplicas(number);
  }

  /**
   * Has the copies of partitions spread evenly over all nodes, also over those that have none yet.
   * Returns once the nodes have agreed on that; {@link #replicas} shows the progress on a node.
   *
   * @param without the name of a node that is to have none, and may {@link #leave} then
   * @throws MoveRefusedException as of {@link #changeReplicas}
   */
  public void spreadReplicas(Optional<String> without) {
    node.spreadReplicas(without);
  }

  /**
   * How many copies each partition is to have; 0 if the cluster was formed with one copy, which no
   * register tells where it is.
   */
  public int replicationFactor() {
    return node.plan().filter(NodePlan::isReplicated).map(NodePlan::replicationFactor).orElse(0);
  }

  /**
   * What nodes fail together with ({@link ClusterSettings#zone}), by the names of those that can be
   * reached and have said something.
   */
  public Map<String, String> zones() {
    return node.zones();
  }

  /**
   * How many partitions have copies in fewer zones than they could be in, as nodes came later, or
   * took the places of others: {@link #spreadReplicas} moves them.
   */
  public int replicasNotSpread() {
    return node.notSpread();
  }

  /**
   * How many copies on reachable nodes lead, or have all that their leaders have committed: if
   * these are {@link #replicationFactor} of each partition, any node may be restarted.
   */
  public int replicasUpToDate() {
    return node.replicasUpToDate();
  }

  /** Whether this node is to keep a part of the register in which nodes agree who leads. */
  public boolean keepsRegister() {
    return node.keepsRegister();
  }

  /**
   * Who keeps the register in which nodes agree who leads, as this one was told in the last
   * seconds; empty if partitions exist once. If it {@linkplain RegisterLocation#isComplete() is
   * complete}, and so are the copies, any node may be restarted.
   */
  public Optional<RegisterLocation> registerPlace() {
    return node.registerPlace();
  }

  /**
   * What is lost with nodes that are lost for ever, of a cluster whose partitions exist once.
   * Changes nothing.
   *
   * @param nodes their names
   * @return the partitions that begin anew, empty, if the nodes are forgotten
   * @throws MoveRefusedException if they can't be forgotten: they are there, or another node has to
   *     be asked, or the partitions have copies
   */
  public Set<Integer> lostWith(Set<String> nodes) {
    return Set.copyOf(node.lostWith(nodes));
  }

  /**
   * Forgets nodes that are lost for ever, with all that only they had: their partitions begin anew,
   * empty, on this node. A forgotten node that comes back with its directory is refused. Commits
   * that a lost partition has decided may stay applied in part, and requests of sessions that it
   * has executed may be executed again.
   *
   * @param nodes their names
   * @param partitions what {@link #lostWith} has told
   * @throws MoveRefusedException if that is another set now, or as {@link #lostWith} does; nothing
   *     was changed, unless the message says so
   */
  public void forget(Set<String> nodes, Set<Integer> partitions) {
    node.forget(nodes, partitions);
  }

  /**
   * Leaves the cluster, once all partitions of this node were moved away: {@link #ended} completes
   * with a {@link NodeLeftException}, and the caller closes the node.
   *
   * @throws MoveRefusedException if it owns partitions, or is receiving one
   */
  public void leave() {
    node.leave();
  }

  /** As {@link NodeRuntime#gather}. */
  void gather() {
    node.gather();
  }

  /** As {@link NodeRuntime#renewOthers}. */
  void renewOthers(String address, long group) {
    node.renewOthers(address, group);
  }

  /** As {@link NodeRuntime#renewal}. */
  Optional<Request.Renew> renewal() {
    return node.renewal();
  }

  /**
   * Completes with the reason when the cluster has removed the node, or the node has left, could
   * not join, or can no longer communicate because of an error on one of its threads. The node then
   * serves nothing; the caller closes it, and may start it again.
   */
  public CompletionStage<RuntimeException> ended() {
    return node.ended();
  }

  /** The message of the reason in {@link #ended}; empty while the node is a member. */
  public Optional<String> end() {
    return node.end();
  }

  /** Warnings to operators of a node that serves, such as of a competing cluster. */
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
