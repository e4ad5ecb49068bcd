package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** A node of a {@link SimulatedCluster}: its directory, and its process if it runs. */
final class SimulatedNode implements MembershipContext {
  /** The most nodes of a cluster, so that a plan names all nodes that formed it. */
  static final int PARTITIONS = 5;

  private static final int RESTART_AFTER = 3;

  /** Part of the refusal of a node with data whose cluster started without it. */
  static final String NO_DATA = "which began the cluster, has none";

  final String name;
  final String address;
  private final int index;
  private final SimulatedCluster cluster;
  private final SimulationRules rules;
  private final NodeSettings settings;
  private final StoreOptions options;

  private SimulatedDirectory directory = new SimulatedDirectory();

  /** An older copy of the directory. */
  private Optional<SimulatedDirectory> copy = Optional.empty();

  /** The newest directory, while the node runs with an older copy. */
  private Optional<SimulatedDirectory> newest = Optional.empty();

  /** Whether the node has run with an older copy, of whose actions others may know. */
  private boolean wasForked;

  private boolean hasLostDirectory;
  private boolean isGone;

  /** The moves to this run of the node. */
  private final List<MoveProgress> received = new ArrayList<>();

  // The state of the process.
  private Optional<Membership> process = Optional.empty();
  private long uid;
  private SimulatedProtocol protocol;
  private List<PartitionClaim> claims = List.of();
  private Optional<MembershipAction.Open> opening = Optional.empty();
  private final Map<Integer, Long> open = new TreeMap<>();

  private Optional<SimulatedHandoff> handoff = Optional.empty();

  private boolean isOpen;
  private boolean isServing;
  private long memberSinceStep;
  private final Set<Long> heard = new HashSet<>();
  private Optional<MembershipAction.Publish> published = Optional.empty();
  private long warnedStep = Long.MIN_VALUE / 2;
  private long endedStep;
  private Optional<String> reason = Optional.empty();
  private NodeClock clock;

  /**
   * @param index its index among the nodes
   * @param clockMillis how far its clock is ahead
   */
  SimulatedNode(SimulatedCluster cluster, int index, List<String> seeds, int clockMillis) {
    this.cluster = cluster;
    this.rules = cluster.rules;
    this.index = index;
    this.name = "n" + index;
    this.address = SimulatedCluster.address(name);
    this.options =
        StoreOptions.defaults()
            .withPartitions(PARTITIONS)
            .withClock(
                () ->
                    Instant.ofEpochMilli(
                        1_800_000_000_000L + clockMillis + cluster.nanoTime() / 1_000_000));
    this.settings =
        new NodeSettings(
            name,
            Path.of(name),
            options,
            new NodeSettings.Endpoint(name, 1, Optional.empty()),
            new NodeSettings.Formation(seeds, cluster.formWith),
            NodeSettings.MoveLimits.DEFAULT);
    this.clock = newClock();
    this.protocol = new SimulatedProtocol(cluster, this, 0);
  }

  private NodeClock newClock() {
    return new NodeClock(EmbeddedStore.clock(options), NodeSettings.DEFAULT_CLOCK_DRIFT);
  }

  int index() {
    return index;
  }

  boolean isRunning() {
    return process.isPresent();
  }

  boolean isServing() {
    return isServing;
  }

  boolean isGone() {
    return isGone;
  }

  boolean hasLostDirectory() {
    return hasLostDirectory;
  }

  SimulatedProtocol protocol() {
    return protocol;
  }

  SimulatedDirectory directory() {
    return directory;
  }

  /** The newest directory, while the node runs with an older copy; otherwise empty. */
  Optional<SimulatedDirectory> newest() {
    return newest;
  }

  boolean wasForked() {
    return wasForked;
  }

  /** The partitions that are open, with their epochs. */
  Map<Integer, Long> open() {
    return open;
  }

  /** The uids of the runs whose heartbeats it has received since it became a member. */
  Set<Long> heard() {
    return heard;
  }

  Optional<MembershipAction.Publish> published() {
    return published;
  }

  boolean hasBeenMemberFor(long steps) {
    return cluster.step() - memberSinceStep >= steps;
  }

  boolean isWarned() {
    return cluster.step() - warnedStep < 30;
  }

  void start() {
    if (isRunning() || isGone) {
      return;
    }
    cluster.say(name + " starts");
    uid = cluster.nextUid();
    protocol = new SimulatedProtocol(cluster, this, uid);
    claims = directory.claims();
    opening = Optional.empty();
    heard.clear();
    published = Optional.empty();
    reason = Optional.empty();
    clock = newClock();
    process = Optional.of(new Membership(settings, this, clock));
  }

  void crash() {
    if (isRunning()) {
      cluster.say(name + " crashes");
      end();
    }
  }

  private void end() {
    process = Optional.empty();
    endedStep = cluster.step();
    open.clear();
    handoff = Optional.empty();
    received.clear();
    isOpen = false;
    isServing = false;
  }

  /** Loses the machine for good. */
  void goAway() {
    crash();
    cluster.say(name + " is permanently lost");
    isGone = true;
  }

  void loseDirectory() {
    crash();
    cluster.say(name + " loses its directory");
    hasLostDirectory = true;
    newest = Optional.empty();
    copy = Optional.empty();
    directory = new SimulatedDirectory();
  }

  void copyDirectory() {
    if (directory.plan().isPresent() && newest.isEmpty() && copy.isEmpty()) {
      cluster.say(name + " has its directory copied");
      copy = Optional.of(directory.copy());
    }
  }

  /** Restores the older copy of the directory. */
  void putCopyBack() {
    if (copy.isPresent() && newest.isEmpty()) {
      crash();
      cluster.say(name + " restores an older copy of its directory");
      newest = Optional.of(directory);
      directory = copy.get();
    }
  }

  /** Closes a partition for a handoff to another node. */
  void moveOne(SimulatedNode to) {
    if (handoff.isEmpty() && !open.isEmpty() && SimulatedHandoff.isPossible(cluster, this, to)) {
      int partition = open.keySet().iterator().next();
      cluster.say("%s closes partition %d for %s".formatted(name, partition, to.name));
      handoff = Optional.of(new SimulatedHandoff(cluster, this, partition, to));
      open.remove(partition);
    }
  }

  /** Opens a partition that a handoff has given to this node. */
  void receive(MoveProgress move, long epoch) {
    received.add(move);
    open.put(move.partition(), epoch);
  }

  /**
   * Restarts a failed node after a while, as an administrator would, unless its refusal is final.
   */
  void restartIfAllowed() {
    if (isRunning() || cluster.step() - endedStep < RESTART_AFTER || isRefusedForGood()) {
      return;
    }
    if (isEndedBy("is an older copy") && newest.isPresent()) {
      cluster.say(name + " gets its newest directory back");
      directory = newest.get();
      newest = Optional.empty();
    } else if (isEndedBy("is an older copy") || isEndedBy(NO_DATA)) {
      // The others know of the copy's actions, or have started without this node's data.
      cluster.nodes.forEach(SimulatedNode::crash);
      reason = Optional.empty();
    }
    start();
  }

  /** Whether the node can't return with this directory, and there is no other one. */
  boolean isRefusedForGood() {
    return isEndedBy("but its directory is empty")
        || (isEndedBy("is an older copy") && hasLostDirectory && newest.isEmpty())
        || isEndedBy("there are two clusters")
        || (isEndedBy("has data of store") && (!isEndedBy(NO_DATA) || rules.isAnyDirectoryLost()));
  }

  private boolean isEndedBy(String words) {
    return reason.filter(why -> why.contains(words)).isPresent();
  }

  void on(MembershipEvent event) {
    if (process.isPresent()) {
      for (MembershipAction action : process.get().on(event)) {
        if (isRunning()) {
          action.handTo(new Executor());
        }
      }
    }
  }

  /** Receives a message from a run of a node. */
  void receive(MembershipMessage message, long sender) {
    if (message instanceof MembershipMessage.Heartbeat heartbeat) {
      if (protocol.isMember() && protocol.up().contains(heartbeat.facts().address())) {
        heard.add(sender);
      } else {
        List<MembershipView.Owner> before = owners();
        on(new MembershipEvent.Received(message, sender));
        rules.checkUnchanged(this, before);
        return;
      }
    }
    on(new MembershipEvent.Received(message, sender));
  }

  List<MembershipView.Owner> owners() {
    return published.map(MembershipAction.Publish::owners).orElse(List.of());
  }

  /** Simulates one step of the node. */
  void pass() {
    if (!isRunning()) {
      return;
    }
    if (!protocol.isMember()) {
      memberSinceStep = cluster.step();
    }
    protocol.detectFailures();
    if (opening.isPresent() && cluster.random.nextBoolean()) {
      MembershipAction.Open what = opening.get();
      opening = Optional.empty();
      openAll(what);
      on(new MembershipEvent.Opened(Optional.empty()));
    }
    on(new MembershipEvent.Tick());
    rules.checkStep(this);
    if (cluster.random.nextBoolean()) {
      handoff.ifPresent(SimulatedHandoff::finish);
      handoff = Optional.empty();
    }
  }

  private void openAll(MembershipAction.Open what) {
    if (directory.plan().isEmpty()) {
      rules.checkPlan(this, what.plan());
      directory.form(what.plan(), what.elsewhere());
    }
    List.copyOf(directory.has().keySet()).forEach(this::open);
    isOpen = true;
  }

  /** Opens a partition of its directory. */
  void open(int partition) {
    long epoch = directory.raise(partition);
    rules.checkOpening(this, partition, epoch);
    open.put(partition, epoch);
    wasForked |= newest.isPresent();
  }

  /** Executes the actions of the membership. */
  private final class Executor implements MembershipAction.Receiver {
    @Override
    public void send(MembershipAction.Send action) {
      cluster.send(SimulatedNode.this, action.address(), 0, action.message());
    }

    @Override
    public void answer(MembershipAction.Answer action) {
      cluster
          .running((Long) action.sender())
          .ifPresent(
              to -> {
                if (action.message() instanceof MembershipMessage.Welcome) {
                  rules.checkAdmission(SimulatedNode.this, to);
                }
                cluster.send(SimulatedNode.this, to.address, to.uid, action.message());
              });
    }

    @Override
    public void join(MembershipAction.Join action) {
      cluster.say(name + " joins " + action.address());
      protocol.join(action.address());
    }

    @Override
    public void remove(MembershipAction.Remove action) {
      cluster.say(name + " removes " + action.address());
      rules.checkRemoval(SimulatedNode.this, action.address());
      protocol.removeLater(action.address());
    }

    @Override
    public void open(MembershipAction.Open action) {
      rules.checkDecision(SimulatedNode.this, action.plan());
      opening = Optional.of(action);
    }

    @Override
    public void markFormed(MembershipAction.MarkFormed action) {
      rules.checkFormed(SimulatedNode.this);
      directory.markFormed();
    }

    @Override
    public void update(MembershipAction.Update action) {
      throw new IllegalStateException("no node is replaced in the simulation");
    }

    @Override
    public void remember(MembershipAction.Remember action) {
      directory.remember(action.members());
    }

    @Override
    public void publish(MembershipAction.Publish action) {
      published = Optional.of(action);
    }

    @Override
    public void serve(MembershipAction.Serve action) {
      cluster.say(name + " serves");
      isServing = true;
      rules.checkReadiness(SimulatedNode.this);
      rules.recordServing(SimulatedNode.this);
    }

    @Override
    public void learn(MembershipAction.Learn action) {
      // There are no other data centres.
    }

    @Override
    public void warn(MembershipAction.Warn action) {
      warnedStep = cluster.step();
    }

    @Override
    public void log(MembershipAction.Log action) {
      // The simulation has no log.
    }

    @Override
    public void fail(MembershipAction.Fail action) {
      String why = String.valueOf(action.why().getMessage());
      cluster.say(name + " ends: " + why);
      if (reason.isPresent()) {
        return;
      }
      rules.checkFailure(SimulatedNode.this, why);
      reason = Optional.of(why);
      // The process still handles events before it ends, and must keep to its decision.
      on(new MembershipEvent.Tick());
      end();
    }
  }

  @Override
  public long nanoTime() {
    return cluster.nanoTime();
  }

  @Override
  public GossipedNodeState facts() {
    List<GossipedNodeState.Ownership> owned = new ArrayList<>();
    open.forEach(
        (partition, epoch) -> owned.add(new GossipedNodeState.Ownership(partition, name, epoch)));
    if (isOpen) {
      owned.addAll(directory.gave());
    }
    return GossipedNodeState.builder(name, address, clock.now())
        .partitions(PARTITIONS)
        .formWith(settings.forming().nodes())
        .plan(directory.plan())
        .owned(owned)
        .moves(received)
        .build();
  }

  @Override
  public List<PartitionClaim> claims() {
    return claims;
  }

  @Override
  public Set<String> remembered() {
    return directory.remembered();
  }

  @Override
  public Optional<String> tlsRefusal() {
    return Optional.empty();
  }

  @Override
  public Optional<NodePlan> agreed() {
    return Optional.empty();
  }

  @Override
  public Status status() {
    return protocol.status();
  }

  @Override
  public long uid() {
    return uid;
  }

  @Override
  public List<MemberState> members() {
    return protocol.members();
  }

  @Override
  public long newStoreId() {
    return cluster.nextStore();
  }
}
