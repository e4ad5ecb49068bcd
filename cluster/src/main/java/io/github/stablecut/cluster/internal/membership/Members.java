package io.github.stablecut.cluster.internal.membership;

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

/** What a node knows of the others. Confined to one actor. */
public final class Members {
  /** A node that was heard of. */
  record Node(GossipedNodeState facts, long heardNanos) {}

  /** Who is out of reach for so long is not just slow. */
  private static final Duration LOST_AFTER = Duration.ofSeconds(5);

  /** What this node had no time to hear of is heard of by then. */
  private static final Duration SURELY_LOST_AFTER = Duration.ofSeconds(1);

  private final Map<String, Node> byName = new TreeMap<>();
  private final Map<Integer, GossipedNodeState.Ownership> owned = new TreeMap<>();
  private final Set<String> up = new HashSet<>();

  /** Those that have said who they are since they are members. */
  private final Set<String> spoken = new HashSet<>();

  /** Members that Akka does not reach from some other member. */
  private final Set<String> suspected = new HashSet<>();

  /** Which members each member hears, by addresses. */
  private final Map<String, List<String>> hears = new HashMap<>();

  private final String self;
  private final Reachability reachability;
  private final LongSupplier nanoTime;

  /**
   * @param self this node's address
   * @param nanoTime as {@link System#nanoTime}
   */
  public Members(String self, LongSupplier nanoTime) {
    this.self = self;
    this.reachability = new Reachability(nanoTime);
    this.nanoTime = nanoTime;
  }

  /** A member has said who it is, and whom it hears. */
  public void heard(GossipedNodeState facts, List<String> heard) {
    reachability.heard(facts.address(), heard.contains(self));
    var unused = hears.put(facts.address(), heard);
    note(facts);
  }

  /** What a node is. Who had its address before is not there any more. */
  public void note(GossipedNodeState facts) {
    byName
        .values()
        .removeIf(
            node ->
                node.facts.address().equals(facts.address())
                    && !node.facts.name().equals(facts.name()));
    var unused = byName.put(facts.name(), new Node(facts, nanoTime.getAsLong()));
    boolean unusedToo = spoken.add(facts.address());
    facts.owned().forEach(this::owns);
  }

  /**
   * Somebody owns a partition. Of two who say so at one epoch the last that was heard counts, so
   * that each of them gets to know of the other ({@link OwnershipConflict}).
   */
  void owns(GossipedNodeState.Ownership newest) {
    owned.merge(
        newest.partition(),
        newest,
        (known, other) -> other.epoch() >= known.epoch() ? other : known);
  }

  /** Who owns what. */
  public List<GossipedNodeState.Ownership> owned() {
    return List.copyOf(owned.values());
  }

  /** A node is a member. */
  public void joined(String address) {
    up.add(address);
  }

  /** Some member does not reach another one. */
  public void suspect(String address) {
    boolean unused = suspected.add(address);
  }

  /** No member loses it any more. */
  public void trust(String address) {
    boolean unused = suspected.remove(address);
  }

  /** A node is no member any more, and all members know. */
  public void removed(String address) {
    gone(address);
    byName.values().removeIf(node -> isObserverAt(node.facts, address));
    boolean unused = suspected.remove(address);
  }

  /** A node is no member any more. Whoever has its address next may be another node. */
  public void gone(String address) {
    boolean unused = up.remove(address);
    boolean unusedToo = spoken.remove(address);
    reachability.forget(address);
    var unusedAsWell = hears.remove(address);
  }

  private static boolean isObserverAt(GossipedNodeState facts, String address) {
    return facts.isObserver() && facts.address().equals(address);
  }

  /** The addresses of the members. */
  public Set<String> up() {
    return Set.copyOf(up);
  }

  /** Whether a member is there and answers this node, whatever others say of it. */
  public boolean isReachable(String address) {
    return up.contains(address) && (address.equals(self) || reachability.isReachable(address));
  }

  /**
   * Whether a member does not answer this node any more. One that has not answered yet is not lost,
   * unless others have lost it.
   */
  public boolean isLost(String address) {
    return !isReachable(address)
        && (reachability.wasReachable(address) || suspected.contains(address));
  }

  /** The members that this node hears, by addresses. */
  public List<String> heard() {
    return reachability.heard().stream().filter(up::contains).toList();
  }

  /** Takes note of who is lost. To be called again and again. */
  public void look() {
    reachability.look(up.stream().filter(this::isLost).toList());
  }

  /** Whether the node that was heard of there is there and answers. */
  private boolean isPresent(GossipedNodeState facts) {
    return isReachable(facts.address()) && spoken.contains(facts.address());
  }

  /**
   * The members whom others wait for: who restarts or leaves is removed once all members know, but
   * those don't answer. Nobody is removed without need: who was out of reach for a while is there
   * again as if nothing had been.
   *
   * @param all the members
   * @return their addresses
   */
  public List<String> blocking(List<MemberState> all) {
    return all.stream().anyMatch(MemberState::isEnding)
        ? all.stream()
            .filter(member -> !member.isEnding())
            .map(MemberState::address)
            .filter(this::isToGiveWay)
            .toList()
        : List.of();
  }

  /**
   * Whether a member has been lost for long, and this node may have it removed. If others still
   * reach it, only the link between the two is cut: one of them has to go, and not both.
   */
  boolean isToGiveWay(String address) {
    return reachability.isLostFor(address, LOST_AFTER)
        && (self.compareTo(address) < 0 || !isHeardByOthers(address));
  }

  private boolean isHeardByOthers(String address) {
    return hears.entrySet().stream()
        .filter(other -> isReachable(other.getKey()))
        .anyMatch(other -> other.getValue().contains(address));
  }

  /** The members that can't be asked, by addresses. */
  List<MembershipView.Away> away() {
    return up.stream()
        .filter(address -> !isReachable(address))
        .sorted()
        .map(
            address ->
                new MembershipView.Away(
                    address,
                    spoken.contains(address) ? nameAt(address) : "",
                    reachability.isLostFor(address, LOST_AFTER) && !isHeardByOthers(address),
                    reachability.isLostFor(address, SURELY_LOST_AFTER)))
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

  /** Where the living node of a name listens. */
  public Optional<String> living(String name) {
    return Optional.ofNullable(byName.get(name))
        .map(Node::facts)
        .filter(this::isPresent)
        .map(GossipedNodeState::address);
  }

  /** The nodes that are there, answer, and have said who they are, by name; without visitors. */
  public List<GossipedNodeState> present() {
    return byName.values().stream()
        .map(Node::facts)
        .filter(facts -> isPresent(facts) && !facts.isObserver())
        .toList();
  }

  /**
   * Whether all members that are not lost have said who they are and answer, this node included.
   */
  public boolean haveSpoken() {
    return up.stream()
        .filter(address -> !isLost(address))
        .allMatch(address -> isReachable(address) && spoken.contains(address));
  }

  /**
   * Whether all members that answer have said that they have heard what a node owns: then they ask
   * it.
   */
  public boolean haveHeardOf(GossipedNodeState node) {
    List<GossipedNodeState.Ownership> own =
        node.owned().stream().filter(one -> one.node().equals(node.name())).toList();
    return byName.values().stream()
        .map(Node::facts)
        .filter(this::isPresent)
        .allMatch(other -> new HashSet<>(other.owned()).containsAll(own));
  }

  /** Who owns which of so many partitions. */
  public List<MembershipView.Owner> owners(int partitions) {
    List<MembershipView.Owner> owners = new ArrayList<>();
    for (int number = 0; number < partitions; number++) {
      GossipedNodeState.Ownership known = owned.get(number);
      owners.add(known == null ? MembershipView.Owner.unknown(number) : owner(known));
    }
    return owners;
  }

  private MembershipView.Owner owner(GossipedNodeState.Ownership known) {
    Optional<Node> node = Optional.ofNullable(byName.get(known.node()));
    String address = node.map(one -> one.facts.address()).orElse("");
    long lag = node.map(one -> (nanoTime.getAsLong() - one.heardNanos) / 1_000_000).orElse(0L);
    boolean isPresent = node.isPresent() && isPresent(node.get().facts);
    return new MembershipView.Owner(
        known.partition(), known.node(), address, known.epoch(), isPresent, lag);
  }

  /** The addresses of the nodes that are there and answer, by name. */
  public Map<String, String> reachable() {
    Map<String, String> nodes = new TreeMap<>();
    present().forEach(facts -> nodes.put(facts.name(), facts.address()));
    return nodes;
  }

  /** The names of the nodes that are there and say that they leave. */
  public Set<String> leaving() {
    return present().stream()
        .filter(GossipedNodeState::isLeaving)
        .map(GossipedNodeState::name)
        .collect(Collectors.toSet());
  }

  /** How many copies the nodes that are there have that lead, or follow and lack nothing. */
  int replicasUpToDate() {
    return present().stream().mapToInt(GossipedNodeState::replicasUpToDate).sum();
  }

  /**
   * The partitions that nobody serves though their last owners are there: copies that led, and have
   * resigned, as too few others answer.
   */
  Set<Integer> unserved() {
    return owned.values().stream()
        .filter(one -> hasResigned(byName.get(one.node()), one.partition()))
        .map(GossipedNodeState.Ownership::partition)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private boolean hasResigned(@Nullable Node owner, int partition) {
    return owner != null
        && isPresent(owner.facts)
        && KnownPlan.isReplicated(owner.facts)
        && !owner.facts.served().contains(partition);
  }

  /** What the nodes that are there say of moves to them. */
  public List<MoveProgress> moves() {
    return present().stream().flatMap(facts -> facts.moves().stream()).toList();
  }
}
