package io.github.stablecut.cluster.internal.node;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.NodeLeftException;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionReplicaDigest;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.cluster.RegisterLocation;
import io.github.stablecut.cluster.ReplicaShortage;
import io.github.stablecut.cluster.internal.akka.AkkaNode;
import io.github.stablecut.cluster.internal.akka.NodeHost;
import io.github.stablecut.cluster.internal.handoff.HandoffReceiver;
import io.github.stablecut.cluster.internal.handoff.HandoffSender;
import io.github.stablecut.cluster.internal.handoff.MoveCommands;
import io.github.stablecut.cluster.internal.handoff.NodeForgetting;
import io.github.stablecut.cluster.internal.handoff.PartitionGathering;
import io.github.stablecut.cluster.internal.link.NodeLinks;
import io.github.stablecut.cluster.internal.membership.Admission;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.membership.SeedAddresses;
import io.github.stablecut.cluster.internal.network.EventLoops;
import io.github.stablecut.cluster.internal.remote.LargeMessages;
import io.github.stablecut.cluster.internal.remote.NodeFaults;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.NodeReplicas;
import io.github.stablecut.cluster.internal.remote.NodeThreads;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.remote.PlanCommands;
import io.github.stablecut.cluster.internal.remote.ReceivedWrites;
import io.github.stablecut.cluster.internal.remote.ReplySender;
import io.github.stablecut.cluster.internal.remote.RequestGate;
import io.github.stablecut.cluster.internal.remote.TrafficBudgets;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import io.github.stablecut.internal.recovery.Zones;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.transaction.StoreOpening;
import io.github.stablecut.log.Log;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.slf4j.Logger;

/** A node of a cluster in this process. Thread-safe. */
public final class NodeRuntime implements AutoCloseable {
  private static final Logger LOG = Log.of(NodeRuntime.class);

  /** The time for which a leaving node waits for the others, which may have failed. */
  private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(8);

  private final NodeSettings settings;
  private final NodeClock clock;
  private final NodeWarnings warnings;
  private final MembershipView view = new MembershipView();
  private final NodeThreads threads;
  private final NodePartitions partitions;
  private final DirectoryRecords directoryRecords;
  private final ReplySender replies;
  private final RequestGate gate;
  private final PendingRequests requests;
  private final HandoffSender handoffSender;
  private final HandoffReceiver handoffReceiver;
  private final MoveCommands commands;
  private final PartitionGathering gathering;
  private final NodeForgetting forgetting;
  private final AkkaNode akka;
  private final NodeLinks links;

  /** The threads of small messages; empty if they use a server's threads. */
  private final Optional<EventLoops> ownLoops;

  /** The thread of large messages. */
  private final EventLoops bulkLoops = new EventLoops("stablecut-bulk", 1);

  private final CompletableFuture<Store> ready = new CompletableFuture<>();
  private final CompletableFuture<RuntimeException> ended = new CompletableFuture<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Completes with true if the node has failed and must close itself. */
  private final CompletableFuture<Boolean> ending = new CompletableFuture<>();

  /** The group that the node is to join after leaving; empty unless requested. */
  private volatile Optional<Request.Renew> renewal = Optional.empty();

  private NodeRuntime(NodeSettings settings, Optional<EventLoops> loops) {
    this.settings = settings;
    this.clock = new NodeClock(EmbeddedStore.clock(settings.store()), settings.maxClockDrift());
    this.warnings = new NodeWarnings(clock);
    this.partitions = NodePartitions.open(settings, clock);
    this.threads = partitions.threads();
    this.directoryRecords =
        new DirectoryRecords(
            threads.opening(),
            partitions.records()::markFormed,
            partitions.records()::remember,
            partitions::update);
    TrafficBudgets traffic = TrafficBudgets.of(settings.name(), settings.trafficBytes());
    this.requests =
        new PendingRequests(
            view,
            traffic.requestsOut(),
            threads.replies(),
            settings.store().timeouts().commit().dividedBy(2));
    view.recordClientAddress(settings.name(), settings.clients());
    view.recordZone(settings.name(), settings.forming().zone());
    this.replies = new ReplySender(clock, traffic.answersOut(), settings.store().timeouts().read());
    this.handoffSender =
        new HandoffSender(
            partitions, threads.reads(), threads.handoffSend(), settings.moving().silence());
    this.handoffReceiver =
        new HandoffReceiver(partitions, requests, settings, threads.handoffReceive());
    this.commands = new MoveCommands(view, requests, partitions, handoffReceiver);
    this.gathering = new PartitionGathering(settings.name(), view, requests, commands);
    try {
      this.akka = AkkaNode.open(settings.endpoint());
    } catch (RuntimeException e) {
      partitions.close();
      throw e;
    }
    this.forgetting = new NodeForgetting(partitions, view, akka::remove);
    this.gate =
        new RequestGate(partitions.server(), clock, replies, new ReceivedWrites(replies), view);
    Host host = new Host();
    InboundHandler handler =
        new InboundHandler(
            partitions,
            requests,
            handoffSender,
            handoffReceiver,
            clock,
            replies,
            gate,
            new LargeMessages(replies, requests, traffic, System::nanoTime),
            this::renew,
            replicas -> new PlanCommands(partitions, view, requests).decide(replicas));
    partitions.endMovesBy(MoveCommands.moves(handoffSender, handoffReceiver));
    this.ownLoops =
        loops.isPresent() ? Optional.empty() : Optional.of(new EventLoops("stablecut-link", 1));
    this.links = openLinks(loops.or(() -> ownLoops).orElseThrow(), handler);
    partitions.acceptsLinks(links.said(settings.endpoint().dataPort()));
    akka.join(settings, host, view, clock);
    // Started early: after an OutOfMemoryError, starting a thread may fail.
    new SupervisedThread(
            "cluster-shutdown",
            this::closeIfFailed,
            new io.github.stablecut.internal.thread.FaultLog())
        .start();
    requests.connect(links);
    partitions.onChange(akka::factsChanged);
  }

  /**
   * Joins a cluster, or forms one.
   *
   * @throws io.github.stablecut.cluster.SettingsException if its address is unreachable for other
   *     nodes, or a seed is this node under another address
   * @throws StablecutException if the directory can't be opened or the port can't be used
   */
  public static NodeRuntime start(NodeSettings settings) {
    return start(settings, Optional.empty());
  }

  /**
   * Like {@link #start(NodeSettings)}, with a server in this process.
   *
   * @param loops the threads of the server's sockets
   */
  public static NodeRuntime start(NodeSettings settings, Optional<EventLoops> loops) {
    SeedAddresses.check(settings.forming().seeds(), settings.endpoint());
    joinDataCentres(settings);
    return new NodeRuntime(settings, loops);
  }

  /**
   * Lets a new cluster join other data centres, if configured: the first seed joins and then owns
   * all partitions, which move to the other nodes in the usual way.
   */
  private static void joinDataCentres(NodeSettings settings) {
    if (isFirstSeed(settings) && !settings.isObserver()) {
      settings
          .store()
          .replication()
          .ifPresent(how -> StoreOpening.joinAsNode(settings.data(), settings.name(), how));
    }
  }

  private static boolean isFirstSeed(NodeSettings settings) {
    return settings.forming().seeds().stream()
        .allMatch(seed -> settings.endpoint().address().compareTo(seed) <= 0);
  }

  /**
   * Moves all partitions of the cluster to this node.
   *
   * @throws ReplicationRefusedException if this node is not the first seed, which forms the
   *     cluster, if a node can't be reached, or if it takes too long
   */
  public void gather() {
    if (!isFirstSeed(settings)) {
      throw new ReplicationRefusedException(
          "a cluster joins other data centres through its first seed, at %s, and this is the node at %s: run the command there"
              .formatted(
                  settings.forming().seeds().stream().sorted().findFirst().orElseThrow(),
                  settings.endpoint().address()));
    }
    gathering.gather();
  }

  /**
   * Makes all other nodes of the cluster leave, and return as new nodes once this node belongs to
   * another group of data centres.
   *
   * @param address the address on which this node listens for other data centres
   * @param group its present group
   * @throws ReplicationRefusedException if one of them owns partitions, or it takes too long
   */
  public void renewOthers(String address, long group) {
    gathering.renewOthers(new Request.Renew(address, group));
  }

  private Reply renew(Request.Renew request) {
    try {
      commands.leave();
    } catch (MoveRefusedException e) {
      return new Reply.Failed(e);
    }
    renewal = Optional.of(request);
    completeLeft(
        "node %s has left, as its cluster joins other data centres: start it again with an empty"
            + " directory");
    return new Reply.Done();
  }

  /**
   * Returns the node that this one is to rejoin as a new node after leaving; empty unless
   * requested.
   */
  public Optional<Request.Renew> renewal() {
    return renewal;
  }

  /**
   * Waits until the node serves requests.
   *
   * @return the store, which is closed with the node
   * @throws JoinRefusedException if the node may not join
   */
  @CanIgnoreReturnValue
  public Store await() {
    try {
      return ready.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof StablecutException failure) {
        throw failure;
      }
      throw e;
    }
  }

  /** Completes with the reason when the node can't continue; the caller then closes it. */
  public CompletableFuture<RuntimeException> ended() {
    return ended.copy();
  }

  /** Returns why the node can't continue, or that it has left; empty while it is a member. */
  public Optional<String> end() {
    return Optional.ofNullable(ended.getNow(null)).map(why -> String.valueOf(why.getMessage()));
  }

  /** Returns the warnings for administrators. */
  public List<String> warnings() {
    return warnings.with(links.problems());
  }

  /** Returns the threads, for fault injection by tests. */
  NodeThreads threads() {
    return threads;
  }

  /** Returns the actors, for fault injection by tests. */
  AkkaNode akka() {
    return akka;
  }

  /** Returns the direct connections, for fault injection by tests. */
  NodeLinks links() {
    return links;
  }

  /**
   * Makes scans skip unreachable partitions; returns a live view of the numbers of those skipped.
   */
  public Set<Integer> goWithoutLost() {
    return partitions.goWithoutLost();
  }

  /** Returns the owner and state of each partition, by number. */
  public List<PartitionLocation> partitions() {
    return commands.places();
  }

  /** Returns the cluster's plan; empty if the node has not joined a cluster yet. */
  public Optional<NodePlan> plan() {
    return partitions.plan();
  }

  /** Returns where the servers of reachable nodes listen for clients, by the nodes' names. */
  public Map<String, String> clients() {
    return view.clientAddresses();
  }

  /** Returns this node's replicas of partitions, by number; empty without replication. */
  public List<PartitionReplicaLocation> replicas() {
    return partitions.replicas().map(NodeReplicas::places).orElse(List.of());
  }

  /** Returns the known zones of reachable nodes, by the nodes' names. */
  public Map<String, String> zones() {
    Map<String, String> known = new TreeMap<>(view.zones());
    known.keySet().retainAll(view.nodes().keySet());
    known.values().removeIf(String::isEmpty);
    return known;
  }

  /** Returns how many partitions have replicas in fewer zones than possible. */
  public int notSpread() {
    Optional<NodePlan> known = partitions.plan();
    if (known.isEmpty()) {
      return 0;
    }
    Set<String> nodes = new TreeSet<>(view.nodes().keySet());
    nodes.addAll(known.get().nodes());
    Zones zones = known.get().zones().with(view.zones());
    return (int)
        known.get().replicas().stream()
            .filter(replicas -> !zones.isSpread(replicas, List.copyOf(nodes)))
            .count();
  }

  /** Returns how many replicas on reachable nodes lead or have all commits of their leaders. */
  public int replicasUpToDate() {
    return view.replicasUpToDate();
  }

  /** Returns the partitions with fewer working replicas than configured. */
  public List<ReplicaShortage> shortages() {
    return view.shortages();
  }

  /** Returns whether this node belongs to the configuration register. */
  public boolean keepsRegister() {
    return partitions.replicas().filter(NodeReplicas::keepsRegister).isPresent();
  }

  /** Returns the nodes of the configuration register; empty without replication. */
  public Optional<RegisterLocation> registerPlace() {
    return partitions.replicas().map(NodeReplicas::registerPlace);
  }

  /**
   * Returns digests of the newest checkpoints of this node's replicas ({@link
   * NodeReplicas#digests}).
   */
  public List<PartitionReplicaDigest> digests(LongConsumer progress) {
    return partitions.replicas().map(replicas -> replicas.digests(progress)).orElse(List.of());
  }

  /** Returns the names of the reachable nodes, including this one. */
  public Set<String> nodes() {
    return new TreeSet<>(view.nodes().keySet());
  }

  /** Returns the addresses of the cluster's members, including unreachable ones. */
  public Set<String> members() {
    return new TreeSet<>(view.members());
  }

  /** Returns the names of the reachable nodes that are about to leave the cluster. */
  public Set<String> leaving() {
    return new TreeSet<>(view.leaving());
  }

  /**
   * Starts to move a partition to another node.
   *
   * @return the move's number
   * @throws MoveRefusedException if the partition can't be moved there
   */
  @CanIgnoreReturnValue
  public long move(int partition, String node) {
    return commands.move(partition, node);
  }

  /**
   * Makes this node refuse partitions for some time, because it is about to leave.
   *
   * @param time the duration; zero to accept partitions again
   * @throws MoveRefusedException if a partition is being moved to it
   */
  public void announceLeave(String by, Duration time) {
    commands.announceLeave(by, time);
    akka.factsChanged();
  }

  /**
   * Leaves the cluster for good: {@link #ended} completes with a {@link NodeLeftException}, and the
   * caller closes the node.
   *
   * @throws MoveRefusedException if the node owns partitions
   */
  public void leave() {
    commands.leave();
    completeLeft("node %s has left");
  }

  /**
   * Completes {@link #ended} on another thread: its dependents may close the node, which waits for
   * the threads of handoffs and of administrative requests, including the calling thread.
   */
  private void completeLeft(String words) {
    threads
        .replies()
        .execute(() -> ended.complete(new NodeLeftException(words.formatted(settings.name()))));
  }

  /**
   * Agrees with the other nodes to replace a permanently lost node by another one, which is then
   * started with an empty directory.
   *
   * @throws MoveRefusedException if that is impossible
   */
  public void replace(String lost, String by) {
    new PlanCommands(partitions, view, requests).replace(lost, by);
    akka.factsChanged();
  }

  /**
   * Agrees with the other nodes on the number of replicas of each partition.
   *
   * @throws MoveRefusedException if that is impossible
   */
  public void changeReplicas(int number) {
    new PlanCommands(partitions, view, requests).changeReplicas(number);
    akka.factsChanged();
  }

  /**
   * Agrees with the other nodes to spread the replicas evenly over all of them.
   *
   * @param without a node that gets none, as it is about to leave
   * @throws MoveRefusedException if that is impossible
   */
  public void spreadReplicas(Optional<String> without) {
    new PlanCommands(partitions, view, requests).spread(without);
    akka.factsChanged();
  }

  /** Like {@link NodeForgetting#lost}. */
  public List<Integer> lostWith(Set<String> nodes) {
    return forgetting.lost(nodes);
  }

  /** Like {@link NodeForgetting#forget}. */
  public void forget(Set<String> nodes, Set<Integer> agreed) {
    forgetting.forget(nodes, agreed);
    akka.factsChanged();
  }

  /** Returns how many messages of other nodes were refused, as malformed or for a wrong clock. */
  public long refusedMessages() {
    return AkkaNode.refusedMessages() + NodeLinks.violations() + clock.refused();
  }

  /** Opens the data port; if that fails, closes what is open. */
  private NodeLinks openLinks(EventLoops loops, InboundHandler handler) {
    NodeSettings.Endpoint endpoint = settings.endpoint();
    try {
      return new NodeLinks(
          settings.name(),
          new InetSocketAddress(endpoint.host(), endpoint.dataListenPort()),
          loops.group(),
          bulkLoops.group(),
          akka.tls(endpoint),
          threads.reads(),
          System::nanoTime,
          handler);
    } catch (RuntimeException e) {
      ownLoops.ifPresent(EventLoops::close);
      bulkLoops.close();
      try {
        akka.leave(LEAVE_TIMEOUT);
      } catch (ExecutionException | TimeoutException failure) {
        e.addSuppressed(failure);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      partitions.close();
      throw e;
    }
  }

  /** Executes the decisions of the node's actor. */
  private final class Host implements NodeHost {
    @Override
    public GossipedNodeState facts() {
      return partitions.facts(handoffReceiver.moves(), handoffReceiver.isLeaving());
    }

    @Override
    public List<PartitionClaim> claims() {
      return partitions.claims();
    }

    @Override
    public void open(NodePlan plan, List<GossipedNodeState.Ownership> elsewhere) {
      threads
          .opening()
          .execute(
              () -> {
                Optional<RuntimeException> failure = Optional.empty();
                try {
                  partitions.openAll(plan, elsewhere, requests, view);
                  handoffReceiver.resume();
                } catch (RuntimeException e) {
                  failure = Optional.of(e);
                } catch (Error e) {
                  LOG.error("node {} can't open its partitions", settings.name(), e);
                  failure = Optional.of(NodeFaults.ofNode(settings.name(), e));
                }
                akka.opened(failure);
              });
      akka.startSharding(view, settings.endpoint().address());
    }

    @Override
    public Set<String> remembered() {
      return partitions.records().remembered();
    }

    @Override
    public Optional<NodePlan> agreed() {
      return partitions.agreed();
    }

    @Override
    public void remember(Set<String> members) {
      directoryRecords.remember(members);
    }

    @Override
    public void formed() {
      directoryRecords.markFormed();
    }

    @Override
    public void update(NodePlan newer) {
      directoryRecords.update(newer);
    }

    @Override
    public void changed() {
      requests.tick();
      links.tick(view.reachable());
      view.owners().stream()
          .filter(owner -> owner.node().equals(settings.name()))
          .forEach(akka::register);
      partitions.tick();
      handoffSender.tick();
    }

    @Override
    public void ready() {
      ready.complete(partitions.store());
    }

    @Override
    public void learn(GossipedNodeState facts) {
      partitions.heard(facts);
      facts.plan().filter(NodePlan::isReplicated).ifPresent(plan -> view.heardOfReplicas());
      view.recordClientAddress(facts.name(), facts.clients());
      view.recordZone(facts.name(), facts.zone());
      links.learn(facts.name(), facts.address(), facts.links());
    }

    @Override
    public void warn(String problem) {
      warnings.warn(problem);
    }

    @Override
    public void failed(RuntimeException why) {
      if (closed.get()) {
        return;
      }
      view.end();
      boolean isJoining = ready.completeExceptionally(why);
      if (ended.complete(why) && !isJoining) {
        LOG.error("node {} can't continue: {}", settings.name(), why.getMessage());
      }
      ending.complete(true);
    }

    @Override
    public void stopped(boolean isRemoved) {
      failed(
          isRemoved
              ? Admission.removedFailure(settings.name())
              : NodeFaults.ofActors(settings.name()));
    }
  }

  /** Closes a failed node, which must not serve even if the application does not close it. */
  private void closeIfFailed() {
    if (ending.join()) {
      try {
        close();
      } catch (RuntimeException | Error e) {
        LOG.error("node {} could not be closed properly", settings.name(), e);
      }
    }
  }

  /**
   * Leaves the cluster until the next start, and closes the partitions. Idempotent; a concurrent
   * call waits for the first one.
   */
  @Override
  public synchronized void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    ending.complete(false);
    try {
      if (ended.isDone()) {
        partitions.closeReplicas();
      } else {
        partitions.handOverReplicas();
      }
    } finally {
      leaveAndClose();
    }
  }

  private void leaveAndClose() {
    try {
      akka.leave(LEAVE_TIMEOUT);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("node {} could not leave the cluster properly: {}", settings.name(), e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      ready.completeExceptionally(new StoreClosedException("the node is closed: start it again"));
      try {
        handoffReceiver.close();
        links.close();
        ownLoops.ifPresent(EventLoops::close);
        bulkLoops.close();
        requests.close();
      } finally {
        partitions.close();
      }
    }
  }
}
