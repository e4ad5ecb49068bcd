package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.ReplicaShortage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A node's knowledge of the other members. Confined to one actor. */
public final class Members {
  /** A known node. */
  record KnownNode(GossipedNodeState facts, long heardAtNanos) {}

  /** A member that is unreachable for longer is lost, not just slow. */
  private static final Duration LOST_AFTER = Duration.ofSeconds(5);

  /** Time for this node to process pending heartbeats before it reports a member as lost. */
  private static final Duration CONFIRMED_LOST_AFTER = Duration.ofSeconds(1);

  private final Map<String, KnownNode> byName = new TreeMap<>();
  private final Map<Integer, GossipedNodeState.Ownership> owned = new TreeMap<>();
  private final Set<String> addresses = new HashSet<>();

  /** The members that have sent a heartbeat since they joined. */
  private final Set<String> introduced = new HashSet<>();

  /** The members that are unreachable from some other member, according to Akka. */
  private final Set<String> suspected = new HashSet<>();

  /** The addresses that each member hears, by the member's address. */
  private final Map<String, List<String>> heardByMember = new HashMap<>();

  private final String self;
  private final Reachability reachability;
  private final LongSupplier nanoTime;

  /**
   * @param self the address of this node
   * @param nanoTime as {@link System#nanoTime}
   */
  public Members(String self, LongSupplier nanoTime) {
    this.self = self;
    this.reachability = new Reachability(nanoTime);
    this.nanoTime = nanoTime;
  }

  /**
   * Records a heartbeat.
   *
   * @param receivedFrom the addresses that the sender hears
   */
  public void recordHeartbeat(GossipedNodeState facts, List<String> receivedFrom) {
    reachability.recordHeartbeat(facts.address(), receivedFrom.contains(self));
    heardByMember.put(facts.address(), receivedFrom);
    record(facts);
  }

  /** Records a node's state, and removes any earlier node at its address. */
  public void record(GossipedNodeState facts) {
    byName
        .values()
        .removeIf(
            node ->
                node.facts.address().equals(facts.address())
                    && !node.facts.name().equals(facts.name()));
    byName.put(facts.name(), new KnownNode(facts, nanoTime.getAsLong()));
    introduced.add(facts.address());
    facts.owned().forEach(this::recordOwner);
  }

  /**
   * Records an owner of a partition. If two nodes claim it at the same epoch, the later message
   * wins, so that each of the two learns of the other ({@link OwnershipConflict}).
   */
  void recordOwner(GossipedNodeState.Ownership newest) {
    owned.merge(
        newest.partition(),
        newest,
        (known, other) -> other.epoch() >= known.epoch() ? other : known);
  }

  /** The known owners of partitions. */
  public List<GossipedNodeState.Ownership> owned() {
    return List.copyOf(owned.values());
  }

  /** Records that a node has become a member. */
  public void add(String address) {
    addresses.add(address);
  }

  /** Records that some member does not reach this one. */
  public void suspect(String address) {
    suspected.add(address);
  }

  /** Records that all members reach this one again. */
  public void trust(String address) {
    suspected.remove(address);
  }

  /** Records that a member was removed, which all members know. */
  public void remove(String address) {
    forget(address);
    byName.values().removeIf(node -> isObserverAt(node.facts, address));
    suspected.remove(address);
  }

  /** Forgets an ending member: the next node at its address may be a different one. */
  public void forget(String address) {
    addresses.remove(address);
    introduced.remove(address);
    reachability.forget(address);
    heardByMember.remove(address);
  }

  private static boolean isObserverAt(GossipedNodeState facts, String address) {
    return facts.isObserver() && facts.address().equals(address);
  }

  /** The addresses of the members. */
  public Set<String> addresses() {
    return Set.copyOf(addresses);
  }

  /** Whether this node exchanges messages with a member, whatever others report about it. */
  public boolean isReachable(String address) {
    return addresses.contains(address)
        && (address.equals(self) || reachability.isReachable(address));
  }

  /**
   * Whether a member has become unreachable. A member that has never been reachable is not lost
   * unless others suspect it.
   */
  public boolean isLost(String address) {
    return !isReachable(address)
        && (reachability.wasReachable(address) || suspected.contains(address));
  }

  /** The addresses of the members that this node hears. */
  public List<String> heardAddresses() {
    return reachability.heardAddresses().stream().filter(addresses::contains).toList();
  }

  /** Updates which members are lost. Called periodically. */
  public void updateLost() {
    reachability.updateLost(addresses.stream().filter(this::isLost).toList());
  }

  /** Whether a node is a reachable member that has sent its state. */
  private boolean isPresent(GossipedNodeState facts) {
    return isReachable(facts.address()) && introduced.contains(facts.address());
  }

  /**
   * The lost members that block others: a node that restarts or leaves is removed once all members
   * know, and these don't answer. No member is removed without need, as it can return after a
   * temporary network failure.
   *
   * @param all the members
   * @return the addresses of those to remove
   */
  public List<String> blocking(List<MemberState> all) {
    return all.stream().anyMatch(MemberState::isEnding)
        ? all.stream()
            .filter(member -> !member.isEnding())
            .map(MemberState::address)
            .filter(this::mayRemove)
            .toList()
        : List.of();
  }

  /**
   * Whether a member is lost for {@link #LOST_AFTER}, and this node may remove it. If other members
   * still hear it, only the link between the two is cut, and just one of the two may be removed.
   */
  boolean mayRemove(String address) {
    return reachability.isLostFor(address, LOST_AFTER)
        && (self.compareTo(address) < 0 || !isHeardByOthers(address));
  }

  private boolean isHeardByOthers(String address) {
    return heardByMember.entrySet().stream()
        .filter(other -> isReachable(other.getKey()))
        .anyMatch(other -> other.getValue().contains(address));
  }

  /** The unreachable members, ordered by address. */
  List<MembershipView.UnreachableMember> unreachable() {
    return addresses.stream()
        .filter(address -> !isReachable(address))
        .sorted()
        .map(
            address ->
                new MembershipView.UnreachableMember(
                    address,
                    introduced.contains(address) ? nameAt(address) : "",
                    reachability.isLostFor(address, LOST_AFTER) && !isHeardByOthers(address),
                    reachability.isLostFor(address, CONFIRMED_LOST_AFTER)))
        .toList();
  }

  private String nameAt(String address) {
    return byName.values().stream()
        .map(node -> node.facts)
        .filter(facts -> facts.address().equals(address))
        .map(GossipedNodeState::name)
        .findFirst()
        .orElse("");
  }

  /** The address of the reachable node with a name. */
  public Optional<String> reachableAddress(String name) {
    return Optional.ofNullable(byName.get(name))
        .map(KnownNode::facts)
        .filter(this::isPresent)
        .map(GossipedNodeState::address);
  }

  /** The reachable nodes that have sent their state, ordered by name; without observers. */
  public List<GossipedNodeState> present() {
    return byName.values().stream()
        .map(KnownNode::facts)
        .filter(facts -> isPresent(facts) && !facts.isObserver())
        .toList();
  }

  /**
   * Whether all members that are not lost are reachable and have sent their state, including this
   * node.
   */
  public boolean areAllIntroduced() {
    return addresses.stream()
        .filter(address -> !isLost(address))
        .allMatch(address -> isReachable(address) && introduced.contains(address));
  }

  /**
   * Whether all reachable members have confirmed that they know a node's partitions, so that they
   * send requests to it.
   */
  public boolean areAllAwareOf(GossipedNodeState node) {
    List<GossipedNodeState.Ownership> own =
        node.owned().stream().filter(one -> one.node().equals(node.name())).toList();
    return byName.values().stream()
        .map(KnownNode::facts)
        .filter(this::isPresent)
        .allMatch(other -> new HashSet<>(other.owned()).containsAll(own));
  }

  /** The owners of all partitions, by partition. */
  public List<MembershipView.Owner> owners(int partitions) {
    List<MembershipView.Owner> owners = new ArrayList<>();
    for (int number = 0; number < partitions; number++) {
      GossipedNodeState.Ownership known = owned.get(number);
      owners.add(known == null ? MembershipView.Owner.unknown(number) : owner(known));
    }
    return owners;
  }

  private MembershipView.Owner owner(GossipedNodeState.Ownership known) {
    Optional<KnownNode> node = Optional.ofNullable(byName.get(known.node()));
    String address = node.map(one -> one.facts.address()).orElse("");
    long lagMillis =
        node.map(one -> (nanoTime.getAsLong() - one.heardAtNanos) / 1_000_000).orElse(0L);
    boolean isPresent = node.isPresent() && isPresent(node.get().facts);
    return new MembershipView.Owner(
        known.partition(), known.node(), address, known.epoch(), isPresent, lagMillis);
  }

  /** The addresses of the reachable nodes, by name; without observers. */
  public Map<String, String> reachable() {
    Map<String, String> nodes = new TreeMap<>();
    present().forEach(facts -> nodes.put(facts.name(), facts.address()));
    return nodes;
  }

  /** The names of the reachable nodes, including observers. */
  Set<String> reachableNames() {
    return byName.values().stream()
        .map(KnownNode::facts)
        .filter(this::isPresent)
        .map(GossipedNodeState::name)
        .collect(Collectors.toSet());
  }

  /** The names of the reachable nodes that are leaving. */
  public Set<String> leaving() {
    return present().stream()
        .filter(GossipedNodeState::isLeaving)
        .map(GossipedNodeState::name)
        .collect(Collectors.toSet());
  }

  /** The number of leaders and up-to-date followers on reachable nodes. */
  int replicasUpToDate() {
    return present().stream().mapToInt(GossipedNodeState::replicasUpToDate).sum();
  }

  /**
   * The partitions with fewer working replicas than configured, by number, as their leaders see
   * them; a deposed leader does not count.
   */
  List<ReplicaShortage> shortages() {
    Map<Integer, ReplicaShortage> shortages = new TreeMap<>();
    for (GossipedNodeState state : present()) {
      for (ReplicaShortage one : state.shortages()) {
        GossipedNodeState.Ownership known = owned.get(one.partition());
        if (known == null || known.node().equals(state.name())) {
          shortages.put(one.partition(), one);
        }
      }
    }
    return List.copyOf(shortages.values());
  }

  /**
   * The partitions that no node serves although their last owners are reachable: leaders that
   * stepped down because they lost the majority.
   */
  Set<Integer> unserved() {
    return owned.values().stream()
        .filter(one -> hasSteppedDown(byName.get(one.node()), one.partition()))
        .map(GossipedNodeState.Ownership::partition)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private boolean hasSteppedDown(@Nullable KnownNode owner, int partition) {
    return owner != null
        && isPresent(owner.facts)
        && KnownPlan.isReplicated(owner.facts)
        && !owner.facts.served().contains(partition);
  }

  /** The moves that reachable nodes report as receivers. */
  public List<MoveProgress> moves() {
    return present().stream().flatMap(facts -> facts.moves().stream()).toList();
  }
}
