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
  /** As many as there are nodes at most, so that a plan names all that were there. */
  static final int PARTITIONS = 5;

  private static final int RESTART_AFTER = 3;

  /** What those are told who have data, and were too late. */
  static final String NO_DATA = "which began the cluster, has none";

  final String name;
  final String address;
  private final int index;
  private final SimulatedCluster cluster;
  private final SimulationRules rules;
  private final NodeSettings settings;
  private final StoreOptions options;

  private SimulatedDirectory directory = new SimulatedDirectory();

  /** What was copied of the directory. */
  private Optional<SimulatedDirectory> copy = Optional.empty();

  /** What the directory was before an older copy was put back. */
  private Optional<SimulatedDirectory> newest = Optional.empty();

  /** Whether an older copy was started, so that others may have heard of what it has done. */
  private boolean wasForked;

  private boolean hasLostDirectory;
  private boolean isGone;

  /** The moves of partitions to this run of the node. */
  private final List<MoveProgress> received = new ArrayList<>();

  // The process.
  private Optional<Membership> process = Optional.empty();
  private long uid;
  private SimulatedProtocol protocol;
  private List<PartitionClaim> claims = List.of();
  private Optional<MembershipAction.Open> opening = Optional.empty();
  private final Map<Integer, Long> open = new TreeMap<>();

  private Optional<SimulatedHandoff> handoff = Optional.empty();

  private boolean isOpen;
  private boolean isServing;
  private long memberSince;
  private final Set<Long> heard = new HashSet<>();
  private Optional<MembershipAction.Publish> published = Optional.empty();
  private long warned = Long.MIN_VALUE / 2;
  private long ended;
  private Optional<String> reason = Optional.empty();
  private NodeClock clock;

  /**
   * @param index its place among the nodes
   * @param clockMillis by which its clock is ahead
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
            new NodeSettings.Forming(seeds, cluster.formWith),
            NodeSettings.Moving.DEFAULT);
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

  /** What its directory was before an older copy was put back; empty if none was. */
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

  /** The runs of nodes of which heartbeats have come since it is a member. */
  Set<Long> heard() {
    return heard;
  }

  Optional<MembershipAction.Publish> published() {
    return published;
  }

  boolean hasBeenMemberFor(long steps) {
    return cluster.step() - memberSince >= steps;
  }

  boolean isWarned() {
    return cluster.step() - warned < 30;
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
    ended = cluster.step();
    open.clear();
    handoff = Optional.empty();
    received.clear();
    isOpen = false;
    isServing = false;
  }

  /** The machine is lost, and nobody replaces it. */
  void goAway() {
    crash();
    cluster.say(name + " is gone for good");
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

  /** An operator puts the older copy back. */
  void putCopyBack() {
    if (copy.isPresent() && newest.isEmpty()) {
      crash();
      cluster.say(name + " gets an older copy of its directory");
      newest = Optional.of(directory);
      directory = copy.get();
    }
  }

  /** Closes a partition to give it to another node, as a handoff does. */
  void moveOne(SimulatedNode to) {
    if (handoff.isEmpty() && !open.isEmpty() && SimulatedHandoff.isPossible(cluster, this, to)) {
      int partition = open.keySet().iterator().next();
      cluster.say("%s closes partition %d for %s".formatted(name, partition, to.name));
      handoff = Optional.of(new SimulatedHandoff(cluster, this, partition, to));
      var unused = open.remove(partition);
    }
  }

  /** Opens a partition that another node has given it. */
  void receive(MoveProgress move, long epoch) {
    received.add(move);
    var unused = open.put(move.partition(), epoch);
  }

  /** An operator starts a node again that has ended, unless it can't be helped. */
  void restartIfAllowed() {
    if (isRunning() || cluster.step() - ended < RESTART_AFTER || isRefusedForGood()) {
      return;
    }
    if (isEndedBy("is an older copy") && newest.isPresent()) {
      cluster.say(name + " gets the directory back that it had last");
      directory = newest.get();
      newest = Optional.empty();
    } else if (isEndedBy("is an older copy") || isEndedBy(NO_DATA)) {
      // The others have heard of what the copy has done, or have begun without this one's data.
      cluster.nodes.forEach(SimulatedNode::crash);
      reason = Optional.empty();
    }
    start();
  }

  /** Whether it must not come back with this directory, and there is no other one. */
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

  /** A message has come from a run of a node. */
  void receive(MembershipMessage message, long sender) {
    if (message instanceof MembershipMessage.Heartbeat heartbeat) {
      if (protocol.isMember() && protocol.up().contains(heartbeat.facts().address())) {
        heard.add(sender);
      } else {
        List<MembershipView.Owner> before = owners();
        on(new MembershipEvent.Received(message, sender));
        rules.isUntouchedByStranger(this, before);
        return;
      }
    }
    on(new MembershipEvent.Received(message, sender));
  }

  List<MembershipView.Owner> owners() {
    return published.map(MembershipAction.Publish::owners).orElse(List.of());
  }

  /** What the node does once per step. */
  void pass() {
    if (!isRunning()) {
      return;
    }
    if (!protocol.isMember()) {
      memberSince = cluster.step();
    }
    protocol.detectFailures();
    if (opening.isPresent() && cluster.random.nextBoolean()) {
      MembershipAction.Open what = opening.get();
      opening = Optional.empty();
      openAll(what);
      on(new MembershipEvent.Opened(Optional.empty()));
    }
    on(new MembershipEvent.Tick());
    rules.keeps(this);
    if (cluster.random.nextBoolean()) {
      handoff.ifPresent(SimulatedHandoff::finish);
      handoff = Optional.empty();
    }
  }

  private void openAll(MembershipAction.Open what) {
    if (directory.plan().isEmpty()) {
      rules.forms(this, what.plan());
      directory.form(what.plan(), what.elsewhere());
    }
    List.copyOf(directory.has().keySet()).forEach(this::open);
    isOpen = true;
  }

  /** Opens a partition of its directory. */
  void open(int partition) {
    long epoch = directory.raise(partition);
    rules.opens(this, partition, epoch);
    var unused = open.put(partition, epoch);
    wasForked |= newest.isPresent();
  }

  /** Does what the membership wants done. */
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
                  rules.welcomes(SimulatedNode.this, to);
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
      rules.removes(SimulatedNode.this, action.address());
      protocol.removeLater(action.address());
    }

    @Override
    public void open(MembershipAction.Open action) {
      rules.decides(SimulatedNode.this, action.plan());
      opening = Optional.of(action);
    }

    @Override
    public void markFormed(MembershipAction.MarkFormed action) {
      rules.marksFormed(SimulatedNode.this);
      directory.markFormed();
    }

    @Override
    public void update(MembershipAction.Update action) {
      throw new IllegalStateException("no node is replaced here");
    }

    @Override
    public void remember(MembershipAction.Remember action) {
      directory.remember(action.members());
    }

    @Override
    public void distrustRoutes(MembershipAction.DistrustRoutes action) {
      // Nothing is asked here.
    }

    @Override
    public void publish(MembershipAction.Publish action) {
      published = Optional.of(action);
    }

    @Override
    public void serve(MembershipAction.Serve action) {
      cluster.say(name + " serves");
      isServing = true;
      rules.beginsToServe(SimulatedNode.this);
      rules.serves(SimulatedNode.this);
    }

    @Override
    public void learn(MembershipAction.Learn action) {
      // There are no other data centres.
    }

    @Override
    public void warn(MembershipAction.Warn action) {
      warned = cluster.step();
    }

    @Override
    public void log(MembershipAction.Log action) {
      // For people.
    }

    @Override
    public void fail(MembershipAction.Fail action) {
      String why = String.valueOf(action.why().getMessage());
      cluster.say(name + " ends: " + why);
      if (reason.isPresent()) {
        return;
      }
      rules.ends(SimulatedNode.this, why);
      reason = Optional.of(why);
      // Its process ends a little later, and must not undo what it has decided.
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
