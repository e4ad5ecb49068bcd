package io.github.stablecut.cluster.internal.ring;

import akka.cluster.ClusterEvent;
import akka.cluster.Member;
import akka.cluster.MemberStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** What a node knows of the others. Confined to one actor. */
final class Members {
  /** A node that was heard of. */
  record Node(NodeFacts facts, long heardNanos) {}

  /** Who is out of reach for so long is not just slow. */
  private static final Duration LOST_AFTER = Duration.ofSeconds(5);

  /** Who is to be removed. */
  private static final Set<MemberStatus> AWAITED =
      Set.of(MemberStatus.down(), MemberStatus.leaving(), MemberStatus.exiting());

  private final Map<String, Node> byName = new TreeMap<>();
  private final Map<Integer, NodeFacts.Ownership> owned = new TreeMap<>();
  private final Set<String> up = new HashSet<>();

  /** Those that have said who they are since they are members. */
  private final Set<String> spoken = new HashSet<>();

  /** Members that Akka does not reach from some other member. */
  private final Set<String> suspected = new HashSet<>();

  /** Which members each member hears, by addresses. */
  private final Map<String, List<String>> hears = new HashMap<>();

  private final String self;
  private final Reachability reachability;

  /**
   * @param self this node's address
   * @param nanoTime as {@link System#nanoTime}
   */
  Members(String self, LongSupplier nanoTime) {
    this.self = self;
    this.reachability = new Reachability(nanoTime);
  }

  /** A member has said who it is, and whom it hears. */
  void heard(NodeFacts facts, List<String> heard) {
    reachability.heard(facts.address(), heard.contains(self));
    var unused = hears.put(facts.address(), heard);
    note(facts);
  }

  /** What a node is. Who had its address before is not there any more. */
  void note(NodeFacts facts) {
    byName
        .values()
        .removeIf(
            node ->
                node.facts.address().equals(facts.address())
                    && !node.facts.name().equals(facts.name()));
    var unused = byName.put(facts.name(), new Node(facts, System.nanoTime()));
    boolean unusedToo = spoken.add(facts.address());
    facts.owned().forEach(this::owns);
  }

  /**
   * Somebody owns a partition. Of two who say so at one epoch the last that was heard counts, so
   * that each of them gets to know of the other ({@link Conflict}).
   */
  void owns(NodeFacts.Ownership newest) {
    owned.merge(
        newest.partition(),
        newest,
        (known, other) -> other.epoch() >= known.epoch() ? other : known);
  }

  /** Who owns what. */
  List<NodeFacts.Ownership> owned() {
    return List.copyOf(owned.values());
  }

  /** The cluster has changed. */
  void changed(ClusterEvent.ClusterDomainEvent event) {
    if (event instanceof ClusterEvent.UnreachableMember lost) {
      suspect(address(lost.member()));
    } else if (event instanceof ClusterEvent.ReachableMember back) {
      boolean unused = suspected.remove(address(back.member()));
    } else if (event instanceof ClusterEvent.MemberRemoved removed) {
      removed(address(removed.member()));
    } else if (event instanceof ClusterEvent.MemberDowned downed) {
      gone(address(downed.member()));
    } else if (event instanceof ClusterEvent.MemberEvent other
        && (other.member().status().equals(MemberStatus.up())
            || other.member().status().equals(MemberStatus.weaklyUp()))) {
      joined(address(other.member()));
    }
  }

  /** A node is a member. */
  void joined(String address) {
    up.add(address);
  }

  /** Some member does not reach another one. */
  void suspect(String address) {
    boolean unused = suspected.add(address);
  }

  private void removed(String address) {
    gone(address);
    byName.values().removeIf(node -> isVisitorAt(node.facts, address));
    boolean unused = suspected.remove(address);
  }

  /** A node is no member any more. Whoever has its address next may be another node. */
  void gone(String address) {
    boolean unused = up.remove(address);
    boolean unusedToo = spoken.remove(address);
    reachability.forget(address);
    var unusedAsWell = hears.remove(address);
  }

  private static boolean isVisitorAt(NodeFacts facts, String address) {
    return facts.isVisitor() && facts.address().equals(address);
  }

  /** Where a member listens, as {@code host:port}. */
  static String address(Member member) {
    return member.address().hostPort().replaceFirst(".*@", "");
  }

  /** The addresses of the members. */
  Set<String> up() {
    return Set.copyOf(up);
  }

  /** Whether a member is there and answers this node, whatever others say of it. */
  boolean isReachable(String address) {
    return up.contains(address) && (address.equals(self) || reachability.isReachable(address));
  }

  /**
   * Whether a member does not answer this node any more. One that has not answered yet is not lost,
   * unless others have lost it.
   */
  boolean isLost(String address) {
    return !isReachable(address)
        && (reachability.wasReachable(address) || suspected.contains(address));
  }

  /** The members that this node hears, by addresses. */
  List<String> heard() {
    return reachability.heard().stream().filter(up::contains).toList();
  }

  /** Takes note of who is lost. To be called again and again. */
  void look() {
    reachability.look(up.stream().filter(this::isLost).toList());
  }

  /** Whether the node that was heard of there is there and answers. */
  private boolean isPresent(NodeFacts facts) {
    return isReachable(facts.address()) && spoken.contains(facts.address());
  }

  /**
   * The members whom others wait for: who restarts or leaves is removed once all members know, but
   * those don't answer. Nobody is removed without need: who was out of reach for a while is there
   * again as if nothing had been.
   *
   * @param all as Akka knows them
   */
  List<Member> blocking(Iterable<Member> all) {
    List<Member> lost = new ArrayList<>();
    boolean isAwaited = false;
    for (Member member : all) {
      if (AWAITED.contains(member.status())) {
        isAwaited = true;
      } else if (isToGiveWay(address(member))) {
        lost.add(member);
      }
    }
    return isAwaited ? lost : List.of();
  }

  /**
   * Whether a member has been lost for long, and this node may have it removed. If others still
   * reach it, only the link between the two is cut: one of them has to go, and not both.
   */
  boolean isToGiveWay(String address) {
    return reachability.isLostFor(address, LOST_AFTER)
        && (self.compareTo(address) < 0
            || hears.entrySet().stream()
                .filter(other -> isReachable(other.getKey()))
                .noneMatch(other -> other.getValue().contains(address)));
  }

  /** Where the living node of a name listens. */
  Optional<String> living(String name) {
    return Optional.ofNullable(byName.get(name))
        .map(Node::facts)
        .filter(this::isPresent)
        .map(NodeFacts::address);
  }

  /** The nodes that are there, answer, and have said who they are, by name; without visitors. */
  List<NodeFacts> present() {
    return byName.values().stream()
        .map(Node::facts)
        .filter(facts -> isPresent(facts) && !facts.isVisitor())
        .toList();
  }

  /**
   * Whether all members that are not lost have said who they are and answer, this node included.
   */
  boolean haveSpoken() {
    return up.stream()
        .filter(address -> !isLost(address))
        .allMatch(address -> isReachable(address) && spoken.contains(address));
  }

  /**
   * Whether all members that answer have said that they have heard what a node owns: then they ask
   * it.
   */
  boolean haveHeardOf(NodeFacts node) {
    List<NodeFacts.Ownership> own =
        node.owned().stream().filter(one -> one.node().equals(node.name())).toList();
    return byName.values().stream()
        .map(Node::facts)
        .filter(this::isPresent)
        .allMatch(other -> new HashSet<>(other.owned()).containsAll(own));
  }

  /** Who owns which of so many partitions. */
  List<RingView.Owner> owners(int partitions) {
    List<RingView.Owner> owners = new ArrayList<>();
    for (int number = 0; number < partitions; number++) {
      NodeFacts.Ownership known = owned.get(number);
      owners.add(known == null ? RingView.Owner.unknown(number) : owner(known));
    }
    return owners;
  }

  private RingView.Owner owner(NodeFacts.Ownership known) {
    Optional<Node> node = Optional.ofNullable(byName.get(known.node()));
    String address = node.map(one -> one.facts.address()).orElse("");
    long lag = node.map(one -> (System.nanoTime() - one.heardNanos) / 1_000_000).orElse(0L);
    boolean isPresent = node.isPresent() && isPresent(node.get().facts);
    return new RingView.Owner(
        known.partition(), known.node(), address, known.epoch(), isPresent, lag);
  }

  /** The addresses of the nodes that are there and answer, by name. */
  Map<String, String> reachable() {
    Map<String, String> nodes = new TreeMap<>();
    present().forEach(facts -> nodes.put(facts.name(), facts.address()));
    return nodes;
  }

  /** The names of the nodes that are there and say that they leave. */
  Set<String> leaving() {
    return present().stream()
        .filter(NodeFacts::isLeaving)
        .map(NodeFacts::name)
        .collect(Collectors.toSet());
  }

  /** What the nodes that are there say of moves to them. */
  List<MoveFacts> moves() {
    return present().stream().flatMap(facts -> facts.moves().stream()).toList();
  }
}
