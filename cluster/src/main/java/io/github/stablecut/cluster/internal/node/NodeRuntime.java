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
import io.github.stablecut.cluster.internal.remote.Inbound;
import io.github.stablecut.cluster.internal.remote.NodeFaults;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.NodeReplicas;
import io.github.stablecut.cluster.internal.remote.NodeThreads;
import io.github.stablecut.cluster.internal.remote.OutboundFragments;
import io.github.stablecut.cluster.internal.remote.OutboundRequests;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.remote.PlanCommands;
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

  /** How long a leaving node waits for the others, which may be gone. */
  private static final Duration LEAVE_PATIENCE = Duration.ofSeconds(8);

  private final NodeSettings settings;
  private final NodeClock clock;
  private final NodeWarnings warnings;
  private final MembershipView view = new MembershipView();
  private final NodeThreads threads;
  private final NodePartitions partitions;
  private final DirectoryRecords directoryRecords;
  private final OutboundFragments outboundFragments = new OutboundFragments(System::nanoTime);
  private final OutboundRequests outboundRequests;
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

  /** The threads of links; empty if a server's are. */
  private final Optional<EventLoops> ownLoops;

  private final CompletableFuture<Store> ready = new CompletableFuture<>();
  private final CompletableFuture<RuntimeException> ended = new CompletableFuture<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Completes with true if the node has failed and must close itself. */
  private final CompletableFuture<Boolean> ending = new CompletableFuture<>();

  /** Where and when the node is to come back after it has left; empty if it is not told so. */
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
    this.outboundRequests = new OutboundRequests(view, clock, partitions, outboundFragments);
    this.requests =
        new PendingRequests(
            view,
            outboundRequests,
            traffic.requestsOut(),
            threads.replies(),
            settings.store().timeouts().commit().dividedBy(2));
    String address = settings.endpoint().address();
    view.listens(settings.name(), settings.clients());
    view.isIn(settings.name(), settings.forming().zone());
    this.replies =
        new ReplySender(
            address,
            clock,
            traffic.answersOut(),
            outboundFragments,
            settings.store().timeouts().read());
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
    this.gate = new RequestGate(partitions.server(), clock, replies, view);
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
            outboundFragments,
            this::renewed,
            replicas -> new PlanCommands(partitions, view, requests).decide(replicas));
    partitions.endMovesBy(MoveCommands.moves(handoffSender, handoffReceiver));
    Inbound inbound = new Inbound(address, handler, clock, replies, traffic);
    this.ownLoops =
        loops.isPresent() ? Optional.empty() : Optional.of(new EventLoops("stablecut-link", 1));
    this.links = openLinks(loops.or(() -> ownLoops).orElseThrow(), handler);
    partitions.acceptsLinks(links.said());
    akka.join(settings, host, view, clock, inbound);
    // Started before it is needed: after an OutOfMemoryError it could not be.
    new SupervisedThread(
            "cluster-shutdown",
            this::closeIfFailed,
            new io.github.stablecut.internal.thread.FaultLog())
        .start();
    outboundRequests.connect(akka);
    outboundRequests.connect(links);
    replies.connect(akka.self());
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
   * As above, with a server in this process.
   *
   * @param loops the threads of its sockets
   */
  public static NodeRuntime start(NodeSettings settings, Optional<EventLoops> loops) {
    SeedAddresses.check(settings.forming().seeds(), settings.endpoint());
    joinDataCentres(settings);
    return new NodeRuntime(settings, loops);
  }

  /**
   * A new cluster may join other data centres: its first seed does, and then has all partitions,
   * which are moved to the other nodes as any are.
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
   * Has all partitions of the cluster moved to this node.
   *
   * @throws ReplicationRefusedException if this node is not the first of the seeds, which is the
   *     one that begins a cluster, if a node can't be reached, or if it takes too long
   */
  public void gather() {
    if (!isFirstSeed(settings)) {
      throw new ReplicationRefusedException(
          "a cluster joins other data centres by way of the first of its seeds, at %s, and this is the node at %s: give the order there"
              .formatted(
                  settings.forming().seeds().stream().sorted().findFirst().orElseThrow(),
                  settings.endpoint().address()));
    }
    gathering.gather();
  }

  /**
   * Has all other nodes of the cluster leave, and come back as new ones once this node is in
   * another group of data centres.
   *
   * @param address where this node listens for other data centres
   * @param group that it is in now
   * @throws ReplicationRefusedException if one of them has partitions, or it takes too long
   */
  public void renewOthers(String address, long group) {
    gathering.renewOthers(new Request.Renew(address, group));
  }

  private Reply renewed(Request.Renew request) {
    try {
      commands.leave();
    } catch (MoveRefusedException e) {
      return new Reply.Failed(e);
    }
    renewal = Optional.of(request);
    tellLeft(
        "node %s has left, as its cluster joins other data centres: start it again with an empty"
            + " directory");
    return new Reply.Done();
  }

  /**
   * Which node this one is to follow as a new one, after it has left; empty if it is not told so.
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

  /** Why the node can't continue, or that it has left; empty while it is a member. */
  public Optional<String> end() {
    return Optional.ofNullable(ended.getNow(null)).map(why -> String.valueOf(why.getMessage()));
  }

  /** Warnings to operators about a node that serves. */
  public List<String> warnings() {
    return warnings.all();
  }

  /** The threads, for fault injection by tests. */
  NodeThreads threads() {
    return threads;
  }

  /** The actors, for fault injection by tests. */
  AkkaNode akka() {
    return akka;
  }

  /** The direct connections, for fault injection by tests. */
  NodeLinks links() {
    return links;
  }

  /** Has scans go without partitions that can't be reached; returns their numbers, which change. */
  public Set<Integer> goWithoutLost() {
    return partitions.goWithoutLost();
  }

  /** The owner and state of each partition, by number. */
  public List<PartitionLocation> partitions() {
    return commands.places();
  }

  /** The cluster's plan; empty if the node has joined none yet. */
  public Optional<NodePlan> plan() {
    return partitions.plan();
  }

  /** Where the servers of reachable nodes listen for clients, by the nodes' names. */
  public Map<String, String> clients() {
    return view.clients();
  }

  /** This node's copies of partitions, by number; empty if each partition exists once. */
  public List<PartitionReplicaLocation> replicas() {
    return partitions.replicas().map(NodeReplicas::places).orElse(List.of());
  }

  /** The zones of reachable nodes that have said one, by the nodes' names. */
  public Map<String, String> zones() {
    Map<String, String> known = new TreeMap<>(view.zones());
    boolean unused = known.keySet().retainAll(view.nodes().keySet());
    boolean unusedToo = known.values().removeIf(String::isEmpty);
    return known;
  }

  /** How many partitions are to have copies in fewer zones than they could be in. */
  public int notSpread() {
    Optional<NodePlan> known = partitions.plan();
    if (known.isEmpty()) {
      return 0;
    }
    Set<String> among = new TreeSet<>(view.nodes().keySet());
    among.addAll(known.get().nodes());
    Zones zones = known.get().zones().with(view.zones());
    return (int)
        known.get().replicas().stream()
            .filter(nodes -> !zones.isSpread(nodes, List.copyOf(among)))
            .count();
  }

  /** How many copies on reachable nodes lead, or have all that their leaders have committed. */
  public int replicasUpToDate() {
    return view.replicasUpToDate();
  }

  /** Whether this node is to keep a part of the register of layouts. */
  public boolean keepsRegister() {
    return partitions.replicas().filter(NodeReplicas::keepsRegister).isPresent();
  }

  /** Who keeps the register of layouts; empty if there is none. */
  public Optional<RegisterLocation> registerPlace() {
    return partitions.replicas().map(NodeReplicas::registerPlace);
  }

  /** What the newest checkpoints of this node's copies hold, as of {@link NodeReplicas#digests}. */
  public List<PartitionReplicaDigest> digests(LongConsumer progress) {
    return partitions.replicas().map(replicas -> replicas.digests(progress)).orElse(List.of());
  }

  /** The names of the reachable nodes, including this one. */
  public Set<String> nodes() {
    return new TreeSet<>(view.nodes().keySet());
  }

  /** The addresses of the cluster's members, including unreachable ones. */
  public Set<String> members() {
    return new TreeSet<>(view.members());
  }

  /** The names of the reachable nodes that are about to leave the cluster. */
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
   * Makes this node refuse partitions for a while, because it is about to leave.
   *
   * @param time for how long; zero to accept partitions again
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
    tellLeft("node %s has left");
  }

  /**
   * Tells that the node has left, on a thread of its own: whoever closes the node where it is told
   * waits for the threads of handoffs and of operators, of which this is one.
   */
  private void tellLeft(String words) {
    var unused =
        ended.completeAsync(
            () -> new NodeLeftException(words.formatted(settings.name())), threads.replies());
  }

  /**
   * Agrees with the other nodes that one which is lost for ever is replaced by another, which is to
   * be started with an empty directory then.
   *
   * @throws MoveRefusedException if that can't be
   */
  public void replace(String lost, String by) {
    new PlanCommands(partitions, view, requests).replace(lost, by);
    akka.factsChanged();
  }

  /**
   * Agrees with the other nodes on how many copies each partition is to have.
   *
   * @throws MoveRefusedException if that can't be
   */
  public void changeReplicas(int number) {
    new PlanCommands(partitions, view, requests).changeReplicas(number);
    akka.factsChanged();
  }

  /**
   * Agrees with the other nodes to spread copies evenly over all of them.
   *
   * @param without a node that is to have none, as it is about to leave
   * @throws MoveRefusedException if that can't be
   */
  public void spreadReplicas(Optional<String> without) {
    new PlanCommands(partitions, view, requests).spread(without);
    akka.factsChanged();
  }

  /** As {@link NodeForgetting#lost}. */
  public List<Integer> lostWith(Set<String> nodes) {
    return forgetting.lost(nodes);
  }

  /** As {@link NodeForgetting#forget}. */
  public void forget(Set<String> nodes, Set<Integer> agreed) {
    forgetting.forget(nodes, agreed);
    akka.factsChanged();
  }

  /** How many messages of other nodes were refused: malformed ones, and ones with a wrong clock. */
  public long refusedMessages() {
    return AkkaNode.refusedMessages() + clock.refused();
  }

  /** Accepts direct connections; closes what is open if that fails. */
  private NodeLinks openLinks(EventLoops loops, InboundHandler handler) {
    NodeSettings.Endpoint endpoint = settings.endpoint();
    try {
      return new NodeLinks(
          settings.name(),
          new InetSocketAddress(endpoint.host(), endpoint.linkPort()),
          loops.group(),
          akka.tls(endpoint),
          threads.reads(),
          System::nanoTime,
          new LinkEvents(handler, gate, akka, requests, clock));
    } catch (RuntimeException e) {
      ownLoops.ifPresent(EventLoops::close);
      try {
        akka.leave(LEAVE_PATIENCE);
      } catch (ExecutionException | TimeoutException failure) {
        e.addSuppressed(failure);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      partitions.close();
      throw e;
    }
  }

  /** Starts to route requests to partitions. */
  private void startSharding() {
    akka.startSharding(view, settings.endpoint().address(), gate, outboundRequests::forward);
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
      startSharding();
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
      links.tick(view.nodes().keySet());
      outboundFragments.tick(view.nodes().values());
      partitions.tick();
      handoffSender.tick();
    }

    @Override
    public void ready() {
      boolean unused = ready.complete(partitions.store());
    }

    @Override
    public void learn(GossipedNodeState facts) {
      partitions.heard(facts);
      facts.plan().filter(NodePlan::isReplicated).ifPresent(plan -> view.heardOfReplicas());
      view.listens(facts.name(), facts.clients());
      view.isIn(facts.name(), facts.zone());
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
      boolean unused = ending.complete(true);
    }

    @Override
    public void stopped(boolean isRemoved) {
      failed(isRemoved ? Admission.removed(settings.name()) : NodeFaults.ofActors(settings.name()));
    }
  }

  /** Closes a failed node, so that it serves nothing even if the application does not close it. */
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
    boolean unusedEnding = ending.complete(false);
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
      akka.leave(LEAVE_PATIENCE);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("node {} could not leave the cluster properly: {}", settings.name(), e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      boolean unused =
          ready.completeExceptionally(
              new StoreClosedException("the node is closed: start it again"));
      try {
        handoffReceiver.close();
        links.close();
        ownLoops.ifPresent(EventLoops::close);
        requests.close();
      } finally {
        partitions.close();
      }
    }
  }
}
