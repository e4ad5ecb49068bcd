package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A node of a {@link SimulatedCluster}: its directory, and its process if it runs. */
final class SimulatedNode implements NodeState {
  private static final int RESTART_AFTER = 3;
  private static final int EPOCHS_PER_MOVE = 1_000;

  /** What a member is to another one; grows only. */
  private enum Level {
    UP,
    DOWN,
    REMOVED
  }

  private record Known(String address, Level level) {}

  final String name;
  final String address;
  private final SimulatedCluster cluster;
  private final NodeSettings settings;
  private final StoreOptions options;

  // The directory.
  private Optional<NodePlan> plan = Optional.empty();
  private final Map<Integer, Long> has = new TreeMap<>();
  private final Map<Integer, Long> gave = new TreeMap<>();

  // The process.
  private Optional<Membership> process = Optional.empty();
  private long uid;
  private final Map<Long, Known> known = new TreeMap<>();
  private final Map<Long, Integer> unheard = new TreeMap<>();
  private Optional<String> joining = Optional.empty();
  private Optional<MembershipAction.Open> opening = Optional.empty();
  final Map<Integer, Long> open = new TreeMap<>();
  boolean isServing;
  private Optional<MembershipAction.Publish> published = Optional.empty();
  private long warned = Long.MIN_VALUE / 2;
  private boolean isQuarantined;
  private long ended;
  private Optional<String> reason = Optional.empty();
  private NodeClock clock;

  SimulatedNode(
      SimulatedCluster cluster, String name, List<String> seeds, int formWith, int clockMillis) {
    this.cluster = cluster;
    this.name = name;
    this.address = name + ":1";
    this.options =
        StoreOptions.defaults()
            .withPartitions(4)
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
            new NodeSettings.Forming(seeds, formWith),
            NodeSettings.Moving.DEFAULT);
    this.clock = newClock();
  }

  private NodeClock newClock() {
    return new NodeClock(EmbeddedStore.clock(options), NodeSettings.DEFAULT_CLOCK_DRIFT);
  }

  boolean isRunning() {
    return process.isPresent();
  }

  Optional<NodePlan> plan() {
    return plan;
  }

  void start() {
    if (isRunning()) {
      return;
    }
    cluster.say(name + " starts");
    uid = cluster.nextUid();
    known.clear();
    unheard.clear();
    joining = Optional.empty();
    opening = Optional.empty();
    open.clear();
    isServing = false;
    isQuarantined = false;
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
    isServing = false;
  }

  void loseDirectory() {
    cluster.say(name + " loses its directory");
    plan = Optional.empty();
    has.clear();
    gave.clear();
  }

  /** Gives a partition to another node, as the hand-off does. */
  void moveOne(SimulatedNode to) {
    if (to == this
        || !isServing
        || !to.isServing
        || open.isEmpty()
        || !cluster.isLinked(this, to)) {
      return;
    }
    if (!to.plan.map(NodePlan::storeId).equals(plan.map(NodePlan::storeId))) {
      return;
    }
    int partition = open.keySet().iterator().next();
    long epoch = Math.max(has.getOrDefault(partition, 0L), to.newest()) + EPOCHS_PER_MOVE;
    cluster.say("partition %d goes from %s to %s at %d".formatted(partition, name, to.name, epoch));
    var unused = open.remove(partition);
    unused = has.remove(partition);
    unused = gave.put(partition, epoch);
    unused = to.gave.remove(partition);
    unused = to.has.put(partition, epoch);
    unused = to.open.put(partition, epoch);
    cluster.opened(to.name, to.plan.orElseThrow(), partition, epoch);
    cluster.serves(to.plan.orElseThrow(), partition, epoch);
  }

  private long newest() {
    return has.values().stream().reduce(0L, Math::max);
  }

  /** An operator starts a node again that has ended, unless it was told what to do first. */
  void restartIfAllowed() {
    if (!isRunning() && cluster.step() - ended >= RESTART_AFTER && !isRefusedForGood()) {
      start();
    }
  }

  /** Whether its directory has to be restored before it may come back. */
  boolean isRefusedForGood() {
    return reason
        .filter(
            why ->
                why.contains("but its directory is empty")
                    || why.contains("is an older copy")
                    || why.contains("has data of store")
                    || why.contains("there are two clusters"))
        .isPresent();
  }

  boolean isWarned() {
    return cluster.step() - warned < 30;
  }

  /** What it has published, as far as others have to agree. */
  String view() {
    return published
        .map(
            all ->
                all.members().stream().sorted().toList()
                    + " "
                    + all.owners().stream()
                        .map(one -> one.node() + "@" + one.epoch() + one.isReachable())
                        .toList())
        .orElse("");
  }

  void on(MembershipEvent event) {
    if (process.isPresent()) {
      for (MembershipAction action : process.get().on(event)) {
        execute(action);
      }
    }
  }

  private void execute(MembershipAction action) {
    if (!isRunning()) {
      return;
    }
    if (action instanceof MembershipAction.Send send) {
      cluster.send(this, send.address(), 0, send.message());
    } else if (action instanceof MembershipAction.Answer answer) {
      long to = (Long) answer.sender();
      String where = cluster.addressOf(to);
      if (!where.isEmpty()) {
        cluster.send(this, where, to, answer.message());
      }
    } else if (action instanceof MembershipAction.Join join) {
      cluster.say(name + " joins " + join.address());
      joining = Optional.of(join.address());
    } else if (action instanceof MembershipAction.Remove remove) {
      cluster.say(name + " removes " + remove.address());
      known.forEach((id, one) -> downIf(one.address().equals(remove.address()), id, one));
    } else if (action instanceof MembershipAction.Open next) {
      opening = Optional.of(next);
    } else if (action instanceof MembershipAction.MarkFormed) {
      plan = plan.map(NodePlan::formed);
    } else if (action instanceof MembershipAction.Publish all) {
      published = Optional.of(all);
    } else if (action instanceof MembershipAction.Serve) {
      cluster.say(name + " serves");
      isServing = true;
      open.forEach((partition, epoch) -> cluster.serves(plan.orElseThrow(), partition, epoch));
    } else if (action instanceof MembershipAction.Warn) {
      warned = cluster.step();
    } else if (action instanceof MembershipAction.Fail fail) {
      cluster.say(name + " ends: " + fail.why().getMessage());
      reason = Optional.of(String.valueOf(fail.why().getMessage()));
      end();
    }
  }

  private void downIf(boolean isMeant, long id, Known one) {
    if (isMeant && one.level() == Level.UP) {
      var unused = known.put(id, new Known(one.address(), Level.DOWN));
      on(new MembershipEvent.Downed(one.address()));
    }
  }

  private boolean reaches(long id) {
    return cluster.nodes.stream()
        .anyMatch(other -> other.isRunning() && other.uid == id && cluster.isLinked(this, other));
  }

  /** Takes over what the members that it reaches know, and does what Akka's leader does. */
  void gossip() {
    if (!isRunning()) {
      return;
    }
    joining.ifPresent(this::join);
    for (SimulatedNode other : cluster.nodes) {
      if (other == this || !other.isRunning() || !cluster.isLinked(this, other)) {
        continue;
      }
      Known self = other.known.get(uid);
      if (self != null && self.level() == Level.UP) {
        merge(other);
      } else if (self != null && known.containsKey(uid)) {
        isQuarantined = true;
      }
    }
    if (isQuarantined) {
      isQuarantined = false;
      on(new MembershipEvent.Quarantined());
    }
    lead();
  }

  private void merge(SimulatedNode other) {
    for (Map.Entry<Long, Known> entry : List.copyOf(other.known.entrySet())) {
      learn(entry.getKey(), entry.getValue());
    }
  }

  private void learn(long id, Known news) {
    Known before = known.get(id);
    if (before != null && before.level().compareTo(news.level()) >= 0) {
      return;
    }
    var unused = known.put(id, news);
    switch (news.level()) {
      case UP -> on(new MembershipEvent.Joined(news.address()));
      case DOWN -> on(new MembershipEvent.Downed(news.address()));
      case REMOVED -> {
        if (before != null) {
          on(new MembershipEvent.Removed(news.address()));
        }
      }
    }
  }

  /** Asks the node at an address to be made a member; one with its own address is removed first. */
  private void join(String where) {
    if (known.containsKey(uid)) {
      joining = Optional.empty();
      return;
    }
    if (where.equals(address)) {
      learn(uid, new Known(address, Level.UP));
      return;
    }
    SimulatedNode target = cluster.at(where);
    if (!target.isRunning() || !cluster.isLinked(this, target) || !target.isMember()) {
      return;
    }
    boolean isFree = true;
    for (Map.Entry<Long, Known> entry : List.copyOf(target.known.entrySet())) {
      Known one = entry.getValue();
      if (one.address().equals(address) && one.level() != Level.REMOVED) {
        isFree = false;
        target.downIf(true, entry.getKey(), one);
      }
    }
    if (isFree) {
      target.learn(uid, new Known(address, Level.UP));
      for (Map.Entry<Long, Known> entry : List.copyOf(target.known.entrySet())) {
        learn(entry.getKey(), entry.getValue());
      }
    }
  }

  private boolean isMember() {
    Known self = known.get(uid);
    return self != null && self.level() == Level.UP;
  }

  /** Removes who is down once all members that are up know. */
  private void lead() {
    if (!isMember()) {
      return;
    }
    for (Map.Entry<Long, Known> entry : List.copyOf(known.entrySet())) {
      if (entry.getValue().level() == Level.DOWN && hasConverged(entry.getKey())) {
        learn(entry.getKey(), new Known(entry.getValue().address(), Level.REMOVED));
      }
    }
  }

  private boolean hasConverged(long down) {
    return known.entrySet().stream()
        .filter(entry -> entry.getValue().level() == Level.UP)
        .allMatch(
            entry ->
                reaches(entry.getKey())
                    && cluster.nodes.stream()
                        .filter(node -> node.isRunning() && node.uid == entry.getKey())
                        .allMatch(
                            node ->
                                Optional.ofNullable(node.known.get(down))
                                    .filter(one -> one.level() != Level.UP)
                                    .isPresent()));
  }

  /** What the node does once per step. */
  void pass() {
    if (!isRunning()) {
      return;
    }
    for (Map.Entry<Long, Known> entry : List.copyOf(known.entrySet())) {
      if (entry.getValue().level() == Level.UP && entry.getKey() != uid) {
        suspect(entry.getKey(), entry.getValue().address());
      }
    }
    if (opening.isPresent() && cluster.random.nextBoolean()) {
      MembershipAction.Open what = opening.get();
      opening = Optional.empty();
      openAll(what);
      on(new MembershipEvent.Opened(Optional.empty()));
    }
    on(new MembershipEvent.Tick());
  }

  private void suspect(long id, String where) {
    int before = unheard.getOrDefault(id, 0);
    int now = reaches(id) ? 0 : before + 1;
    var unused = unheard.put(id, now);
    if (now == cluster.suspectedAfter()) {
      on(new MembershipEvent.Suspected(where));
    } else if (now == 0 && before >= cluster.suspectedAfter()) {
      on(new MembershipEvent.Trusted(where));
    }
  }

  private void openAll(MembershipAction.Open what) {
    if (plan.isEmpty()) {
      plan = Optional.of(what.plan());
      what.plan().given(name).forEach(partition -> has.put(partition, 0L));
      what.elsewhere().forEach(one -> has.remove(one.partition()));
    }
    for (int partition : List.copyOf(has.keySet())) {
      long epoch = has.merge(partition, 1L, Long::sum);
      cluster.opened(name, plan.get(), partition, epoch);
      var unused = open.put(partition, epoch);
    }
  }

  @Override
  public long nanoTime() {
    return cluster.nanoTime();
  }

  @Override
  public NodeFacts facts() {
    List<NodeFacts.Ownership> owned = new ArrayList<>();
    open.forEach((partition, epoch) -> owned.add(new NodeFacts.Ownership(partition, name, epoch)));
    return new NodeFacts(
        NodeFacts.PROTOCOL,
        name,
        address,
        clock.now(),
        4,
        settings.forming().nodes(),
        plan,
        owned,
        List.of(),
        false,
        false);
  }

  @Override
  public List<PartitionClaim> claims() {
    List<PartitionClaim> claims = new ArrayList<>();
    has.forEach((p, epoch) -> claims.add(new PartitionClaim(p, PartitionClaim.Kind.HAS, epoch)));
    gave.forEach((p, epoch) -> claims.add(new PartitionClaim(p, PartitionClaim.Kind.GAVE, epoch)));
    return claims;
  }

  @Override
  public Status status() {
    Known self = known.get(uid);
    if (self == null) {
      return Status.OUTSIDE;
    }
    return self.level() == Level.UP ? Status.MEMBER : Status.REMOVED;
  }

  @Override
  public long uid() {
    return uid;
  }

  @Override
  public List<MemberState> members() {
    List<MemberState> members = new ArrayList<>();
    known.forEach(
        (id, one) -> {
          if (one.level() != Level.REMOVED) {
            members.add(new MemberState(one.address(), id, one.level() == Level.DOWN));
          }
        });
    return members;
  }

  @Override
  public long newStoreId() {
    return cluster.nextStore();
  }
}
