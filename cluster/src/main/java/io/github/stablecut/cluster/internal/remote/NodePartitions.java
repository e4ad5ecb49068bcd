package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.MoveProgress;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.recovery.MoveMark;
import io.github.stablecut.internal.recovery.MovedPartitions;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import io.github.stablecut.internal.recovery.PartitionImage;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.LogReplicator;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.internal.transaction.routing.PartitionProvider;
import io.github.stablecut.internal.transaction.routing.ReplicationHost;
import io.github.stablecut.internal.transaction.routing.ReplicationSetup;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.log.Log;
import io.github.stablecut.replication.Replication;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;

/** A node's directory, the partitions in it, and the store over all partitions. Thread-safe. */
public final class NodePartitions implements AutoCloseable {
  private static final Logger LOG = Log.of(NodePartitions.class);

  /**
   * The time for which a node's shutdown waits for handoff steps; steps that wait for other nodes
   * have ended by then.
   */
  private static final Duration STEP_PATIENCE = Duration.ofSeconds(30);

  /** The time for which closing a partition here waits for transactions that it coordinates. */
  static final Duration DRAIN = Duration.ofSeconds(1);

  private final NodeSettings settings;
  private final NodeClock clock;
  private final NodeDirectory directory;
  private final ActiveSnapshots active;
  private final NodeThreads threads = NodeThreads.start();
  private final NodeDataCentre dataCentre;
  private final RequestServer server;
  private final GroupLeave leaving;
  private final NodeRecords records;
  private final OpeningsGossip openings;
  private final ResetOwners begunAnew;
  private final LocalReplicas replicas;
  private final NodePartitionContext context;
  private final List<PartitionAccess> accesses = new ArrayList<>();
  private final SkippedPartitions lost = new SkippedPartitions();
  private volatile Optional<EmbeddedStore> store = Optional.empty();

  /** Openings share the read lock; the node's shutdown takes the write lock. */
  private final ReadWriteLock lifetime = new ReentrantReadWriteLock();

  private boolean isClosed;
  private volatile long epoch;

  /** The new owners of partitions that this node handed off; other nodes may not know them yet. */
  private final Map<Integer, GossipedNodeState.Ownership> handedOff = new ConcurrentHashMap<>();

  private volatile Moves moves = Moves.NONE;

  /** Called when partitions are opened or closed, or the cluster was recorded as complete. */
  private volatile Runnable listener = () -> {};

  /** The address at which this node accepts links. */
  private volatile String links = "";

  private NodePartitions(NodeSettings settings, NodeClock clock, NodeDirectory directory) {
    this.settings = settings;
    this.clock = clock;
    this.directory = directory;
    this.active = EmbeddedStore.activeSnapshots(settings.store());
    this.dataCentre =
        new NodeDataCentre(
            directory, settings.store().replication().isPresent(), threads.opening());
    this.server =
        new RequestServer(
            active,
            threads.reads(),
            threads.writes(),
            ObjectCalls.of(settings.store(), threads.objects()),
            snapshot -> dataCentre.wasRead(local(), snapshot));
    this.leaving = new GroupLeave(server::all, dataCentre::replication, System::nanoTime);
    this.records =
        new NodeRecords(
            settings.name(), settings.endpoint().address(), directory, () -> listener.run());
    this.openings = new OpeningsGossip(directory, threads.opening());
    this.begunAnew = new ResetOwners(directory, threads.opening(), this::recordHandoff);
    this.context = new NodePartitionContext(settings.store(), clock, active, dataCentre);
    this.replicas = new LocalReplicas(settings, directory, server, new LedHere());
    directory.moveMarks().forEach(this::recordHandoff);
  }

  /** Sets the moves that are ended when partitions get replicas. */
  public void endMovesBy(Moves all) {
    moves = all;
  }

  /** Locks the directory of a node. */
  public static NodePartitions open(NodeSettings settings, NodeClock clock) {
    return new NodePartitions(
        settings, clock, NodeDirectory.open(settings.data(), settings.name()));
  }

  public NodeThreads threads() {
    return threads;
  }

  public RequestServer server() {
    return server;
  }

  /** Returns this node's part in its cluster's leaving its group of data centres. */
  public GroupLeave leaving() {
    return leaving;
  }

  /** Returns the cluster as one of several data centres. */
  public NodeDataCentre dataCentre() {
    return dataCentre;
  }

  /** Returns the cluster's plan; empty if the node has not joined a cluster yet. */
  public Optional<NodePlan> plan() {
    return directory.plan();
  }

  /** Returns the store; available once {@link #openAll} has returned. */
  public EmbeddedStore store() {
    return store.orElseThrow();
  }

  /** Passes a partition's answer to a driver on this node. */
  public void tell(long driver, Message.ToDriver answer) {
    store.ifPresent(there -> there.tell(driver, answer));
  }

  /**
   * Returns the current state of this node, for gossip.
   *
   * @param moves the moves of partitions to it
   * @param isLeaving whether it accepts no partitions, because it is leaving
   */
  public GossipedNodeState facts(List<MoveProgress> moves, boolean isLeaving) {
    List<GossipedNodeState.Ownership> owned = new ArrayList<>();
    handedOff.values().forEach(one -> put(owned, one));
    if (store.isEmpty()) {
      // These partitions are about to be opened.
      directory.owned().forEach(one -> put(owned, own(one.partition(), one.epoch())));
    }
    replicas
        .all()
        .ifPresent(all -> all.firstReplicas().forEach((number, at) -> put(owned, own(number, at))));
    for (OpenPartition open : server.all()) {
      int number = open.partition().number();
      put(owned, own(number, open.epoch()));
      clock.observe(timeOf(open.partition(), open.partition().newest()));
    }
    return GossipedNodeState.builder(settings.name(), settings.endpoint().address(), clock.now())
        .partitions(settings.store().partitions())
        .formWith(settings.forming().nodes())
        .replicas(settings.forming().replicas())
        .plan(directory.plan())
        .owned(owned)
        .moves(moves)
        .isObserver(settings.isObserver())
        .isLeaving(isLeaving)
        .objectTypes(settings.store().objectTypes().descriptions())
        .dataCentre(dataCentre.facts(server.all(), accesses.size()))
        .openings(openings.facts())
        .clients(settings.clients())
        .zone(settings.forming().zone())
        .replicasUpToDate(replicas.all().map(NodeReplicas::upToDate).orElse(0))
        .shortages(replicas.all().map(NodeReplicas::shortages).orElse(List.of()))
        .served(server.all().stream().map(open -> open.partition().number()).sorted().toList())
        .links(links)
        .build();
  }

  /** Sets the address at which this node accepts links, for gossip. */
  public void acceptsLinks(String said) {
    links = said;
  }

  private GossipedNodeState.Ownership own(int number, long at) {
    return new GossipedNodeState.Ownership(number, settings.name(), at);
  }

  /** Adds the ownership of a partition, unless a newer one is known. */
  private static void put(
      List<GossipedNodeState.Ownership> owned, GossipedNodeState.Ownership newest) {
    owned.removeIf(one -> one.partition() == newest.partition() && one.epoch() <= newest.epoch());
    if (owned.stream().noneMatch(one -> one.partition() == newest.partition())) {
      owned.add(newest);
    }
  }

  /** Returns the recorder of facts in the node's directory. */
  public NodeRecords records() {
    return records;
  }

  /** Merges the state that another node gossips. */
  public void heard(GossipedNodeState facts) {
    dataCentre.heard(facts);
    if (isReplicated()) {
      openings.heard(facts.openings());
    } else if (plan().isPresent()) {
      begunAnew.heard(facts.name(), facts.owned());
    }
  }

  /**
   * Creates the partitions that the plan gives a new node, or opens those that the node owns.
   *
   * @param elsewhere partitions that the plan gives this node, but other nodes own now
   */
  public void openAll(
      NodePlan plan,
      List<GossipedNodeState.Ownership> elsewhere,
      PendingRequests requests,
      MembershipView view) {
    if (directory.plan().isEmpty()) {
      directory.form(plan, elsewhere.stream().map(NodePartitions::movedBefore).toList());
    }
    ClusterPartition.Node node =
        new ClusterPartition.Node(
            plan.dataCentre(),
            server,
            requests,
            view,
            clock,
            dataCentre.arrivals(),
            new ClockCatchUp(settings.name(), clock, requests, view),
            settings.store(),
            threads.replies(),
            lost,
            number -> replicas.all().flatMap(all -> all.find(number)));
    for (int number = 0; number < plan.owners().size(); number++) {
      accesses.add(new ClusterPartition(number, node));
    }
    epoch = directory.raiseEpoch();
    replicas.connect(requests, view);
    try {
      if (plan.isReplicated()) {
        openReplicas(plan);
      } else {
        for (int number : directory.numbers()) {
          openOne(number, epoch);
        }
      }
      directory.moveMarks().forEach(this::recordHandoff);
    } catch (IOException e) {
      throw new StoreIoException(
          "the partitions in " + settings.data() + " can't be opened: " + IoReason.of(e), e);
    }
    directory.complete();
    lifetime.readLock().lock();
    try {
      ensureOpen();
      EmbeddedStore opened =
          EmbeddedStore.over(
              NodeDirectory.identity(plan), provider(view, requests), settings.store());
      store = Optional.of(opened);
      dataCentre.opened(opened);
    } finally {
      lifetime.readLock().unlock();
    }
  }

  private void openReplicas(NodePlan plan) throws IOException {
    lifetime.readLock().lock();
    try {
      ensureOpen();
      replicas.open(plan);
    } finally {
      lifetime.readLock().unlock();
    }
  }

  /**
   * Returns the replicas; empty if partitions are unreplicated, or before the replicas are open.
   */
  public Optional<NodeReplicas> replicas() {
    return replicas.all();
  }

  /**
   * Durably records a newer plan of the cluster, in which other nodes have replicas. Waits for the
   * configuration register if this node gets replicas. If that fails, or not all partitions are
   * open yet, the caller retries.
   */
  public synchronized void update(NodePlan newer) {
    if (store.isPresent()
        && isNewer(newer)
        && replicas.begin(newer)
        && isNewer(newer)
        && replicas.change(newer, () -> records.update(newer))) {
      listener.run();
    }
  }

  /** Like {@link #update}, but immediate even after a failure: an operator asks for it. */
  public void updateNow(NodePlan newer) {
    replicas.retry();
    update(newer);
  }

  private boolean isNewer(NodePlan newer) {
    return plan().filter(newer::isNewerThan).isPresent();
  }

  /**
   * Decides, for a cluster of unreplicated partitions, that a configuration register records from
   * now on who leads them. Only the owner of partition 0, which is one node at a time, may decide.
   * It writes the decision down before it notifies others. Returns at once if that was decided
   * before.
   *
   * @param newPlan the plan with that change
   * @return why the decision is refused; empty if it is made
   */
  public synchronized Optional<String> decide(NodePlan newPlan) {
    if (isReplicated()) {
      return Optional.empty();
    }
    if (store.isEmpty()) {
      return Optional.of("node %s is opening its partitions: try again soon".formatted(name()));
    }
    if (!moves.end()) {
      return Optional.of("a partition is moving: wait until the move ends");
    }
    if (server.find(0).isEmpty()) {
      moves.goOn();
      return Optional.of(
          "partition 0 is no longer on node %s: repeat the command".formatted(name()));
    }
    if (!replicas.begin(newPlan)) {
      if (!replicas.mayHaveBegun()) {
        moves.goOn();
      }
      return Optional.of("node %s can't record it: its log has the reason".formatted(name()));
    }
    return Optional.empty();
  }

  /** Returns why this node's setup does not allow replicas; empty if it does. */
  public Optional<String> replicaChangeRefusal() {
    return ReplicaConversion.refusal(settings.store())
        .map(why -> "node %s: %s".formatted(settings.name(), why));
  }

  /** Returns whether partitions are replicated, with a configuration register. */
  public boolean isReplicated() {
    return plan().filter(NodePlan::isReplicated).isPresent();
  }

  /**
   * Fences and closes a partition: everything that this node has reported is then in its files.
   *
   * @param fenced called when the partition is no longer served; a failure comes after that
   */
  public void end(OpenPartition open, Runnable fenced) {
    open.partition().maintenance().suspend();
    open.drain(DRAIN);
    dataCentre.closing(open.partition().number());
    server.fence(open);
    fenced.run();
    server.remove(open);
    try {
      open.partition().endClock();
    } finally {
      open.partition().close();
    }
  }

  /** Returns the plan on which the nodes have agreed, if it is newer than the directory's. */
  public Optional<NodePlan> agreed() {
    return replicas.agreed();
  }

  /** Performs periodic work. Never waits. */
  public void tick() {
    server.tick();
    leaving.tick();
    replicas.tick(threads.opening());
  }

  /** Closes the replicas while other nodes can still be reached. Idempotent. */
  public void closeReplicas() {
    endOpening();
    replicas.all().ifPresent(NodeReplicas::close);
  }

  /** Like {@link #closeReplicas}, once replicas on other nodes are about to lead. */
  public void handOverReplicas() {
    endOpening();
    replicas
        .all()
        .ifPresent(
            all -> {
              all.handOver();
              all.close();
            });
  }

  /**
   * Transfers leadership to the replicas that the plan names first, on another thread. Returns at
   * once.
   */
  public void evenOut() {
    threads.opening().execute(() -> replicas.all().ifPresent(NodeReplicas::evenOut));
  }

  private void endOpening() {
    lifetime.writeLock().lock();
    try {
      isClosed = true;
    } finally {
      lifetime.writeLock().unlock();
    }
  }

  private final class LedHere implements LocalReplicas.PartitionService {
    @Override
    public PartitionContext context(long at) {
      return NodePartitions.this.context(at);
    }

    @Override
    public void serve(Partition partition, long at) {
      NodePartitions.this.serve(partition, at);
    }

    @Override
    public void changed() {
      listener.run();
    }

    @Override
    public boolean endMoves() {
      return moves.end();
    }

    @Override
    public void open(Runnable opening) {
      lifetime.readLock().lock();
      try {
        if (!isClosed) {
          opening.run();
        }
      } finally {
        lifetime.readLock().unlock();
      }
    }

    @Override
    public void end(OpenPartition served) {
      NodePartitions.this.end(served, () -> {});
    }
  }

  private static MoveMark movedBefore(GossipedNodeState.Ownership known) {
    return new MoveMark(0, known.partition(), known.node(), known.epoch());
  }

  /**
   * Opens a partition in the directory at an epoch. The node's shutdown waits for the opening, and
   * then closes the partition too.
   *
   * @throws StoreClosedException if the node has shut down
   */
  public void openOne(int number, long at) throws IOException {
    lifetime.readLock().lock();
    try {
      ensureOpen();
      open(number, at);
    } finally {
      lifetime.readLock().unlock();
    }
    handedOff.remove(number);
    listener.run();
  }

  private void ensureOpen() {
    if (isClosed) {
      throw new StoreClosedException("the node is closed: restart it");
    }
  }

  private void open(int number, long at) throws IOException {
    PartitionFiles files =
        PartitionFiles.in(
            directory.journal(number),
            directory.checkpoints(number),
            settings.store(),
            directory.lock());
    directory.checkJournal(number, files.journal().segments().size());
    Partition partition =
        files.open(settings.store().withPartitions(accesses.size()), local(), number, context(at));
    partition.start();
    serve(partition, at);
  }

  private void serve(Partition partition, long at) {
    // Its clock may be ahead: other nodes learn of it with its epoch, before they send requests.
    clock.observe(timeOf(partition, partition.now()));
    clock.observe(LocalDataCentre.floorOf(partition.lastOfOthers()));
    server.add(new OpenPartition(partition, at));
    dataCentre.opened(partition);
  }

  private static long timeOf(Partition partition, VectorClock vector) {
    return new LocalDataCentre(partition.dataCentre()).timeIn(vector);
  }

  /** Reopens a partition that was closed for a handoff that failed. */
  public void reopen(int number) throws IOException {
    openOne(number, moved().raise(number));
  }

  /**
   * Resets a lost partition, which no node's directory has: creates it empty.
   *
   * @param at above all epochs that it had
   * @throws PartitionUnavailableException if partitions get replicas
   */
  public synchronized void beginAnew(int number, long at) throws IOException {
    if (isReplicated()) {
      throw new PartitionUnavailableException(
          "no partition can be reset while partitions get replicas");
    }
    openOne(number, moved().beginEmpty(number, at));
  }

  /**
   * Returns the current configuration of a partition. Waits for the configuration register.
   *
   * @throws PartitionUnavailableException if the register does not answer
   */
  public Configuration configuration(int number) {
    return replicas.configuration(number);
  }

  /**
   * Resets a lost partition that never had a replica: creates it empty, as if it had been
   * unreplicated on this node until now.
   *
   * @param at above all epochs that it had
   * @throws PartitionUnavailableException if the configuration register is not open here
   */
  public synchronized void resetReplica(int number, long at) throws IOException {
    replicas.beginAnew(number, at);
    listener.run();
  }

  /** Returns whether the cluster is one of several data centres. */
  public boolean isAmongOthers() {
    return dataCentre
        .facts(server.all(), accesses.size())
        .filter(GossipedDataCentres::isAmongOthers)
        .isPresent();
  }

  /** Returns the cluster's data centre. */
  private LocalDataCentre local() {
    return directory.plan().orElseThrow().dataCentre();
  }

  private PartitionContext context(long at) {
    return context.of(at, local(), accesses);
  }

  /** Records that a partition was handed off to another node. */
  public void recordHandoff(MoveMark mark) {
    handedOff.put(
        mark.number(), new GossipedNodeState.Ownership(mark.number(), mark.node(), mark.epoch()));
    listener.run();
  }

  /** Sets a listener for changes of {@link #facts}. */
  public void onChange(Runnable newListener) {
    listener = newListener;
  }

  /** Returns this node's name. */
  public String name() {
    return settings.name();
  }

  /** Returns the id of the store that the partitions belong to. */
  public long storeId() {
    return directory.plan().orElseThrow().storeId();
  }

  /** Returns the directory's claims on partitions, before the node opens any. */
  public List<PartitionClaim> claims() {
    return directory.claims();
  }

  /** Returns how often this node was opened. */
  public long epoch() {
    return epoch;
  }

  /** Returns the highest epoch of the open partitions. */
  public long newestEpoch() {
    return server.all().stream().mapToLong(OpenPartition::epoch).reduce(epoch, Math::max);
  }

  public MovedPartitions moved() {
    return directory.moved();
  }

  public PartitionImage image(int partition) {
    return directory.image(partition);
  }

  private ReplicationSetup replicationSetup(
      MembershipView view, PendingRequests requests, Replication how) {
    ReplicationHost place =
        new NodeReplicationHost(
            settings.name(),
            directory,
            dataCentre,
            view,
            () -> GroupLeave.lacking(settings.name(), view, requests),
            context.ageElsewhere(),
            () -> listener.run());
    return ReplicationSetup.checked(
        place, directory.dataCentre().setBack(), dataCentre.awaitGroup(local()), how);
  }

  /**
   * Makes scans skip partitions that are unreachable when their snapshot is pinned.
   *
   * @return their numbers; changes
   */
  public Set<Integer> goWithoutLost() {
    return lost.allow();
  }

  private PartitionProvider provider(MembershipView view, PendingRequests requests) {
    return new NodeProvider(
        accesses,
        active,
        () -> settings.store().replication().map(how -> replicationSetup(view, requests, how)),
        dataCentre,
        () -> isReplicated() ? LogReplicator.MAX_TRANSACTION_BYTES : Integer.MAX_VALUE,
        epoch);
  }

  /**
   * Closes the partitions, waits for the steps that change files, and unlocks the directory. The
   * directory stays locked until such a step ends: no other process may open files that the step
   * still changes.
   */
  @Override
  public void close() {
    try {
      closeReplicas();
    } finally {
      closePartitions();
    }
  }

  private void closePartitions() {
    try {
      if (store.isPresent()) {
        store.get().close();
      } else {
        server.all().forEach(open -> open.partition().close());
      }
    } finally {
      if (threads.close(STEP_PATIENCE)) {
        directory.close();
      } else {
        LOG.error(
            "node {}: a step of a move or an opening has not ended within {}; its directory stays"
                + " locked until the process ends",
            settings.name(),
            DurationWords.of(STEP_PATIENCE));
      }
    }
  }
}
