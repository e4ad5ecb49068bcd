package io.github.stablecut.cluster.internal.ring;

import akka.actor.typed.ActorRef;
import akka.cluster.ClusterEvent;
import akka.cluster.Member;
import akka.cluster.MemberStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What a node knows of the others. Confined to one actor. */
final class Members {
  /** A node that was heard of. */
  record Node(NodeFacts facts, ActorRef<RingMessage> ref, long heardNanos) {}

  private final Map<String, Node> byName = new TreeMap<>();
  private final Map<Integer, NodeFacts.Ownership> owned = new TreeMap<>();
  private final Set<String> up = new HashSet<>();
  private final Set<String> unreachable = new HashSet<>();

  /** A node has said who it is. Who had its address before is not there any more. */
  void heard(NodeFacts facts, ActorRef<RingMessage> ref) {
    byName
        .values()
        .removeIf(
            node ->
                node.facts.address().equals(facts.address())
                    && !node.facts.name().equals(facts.name()));
    var unused = byName.put(facts.name(), new Node(facts, ref, System.nanoTime()));
    facts.owned().forEach(this::owns);
  }

  /** Somebody owns a partition. */
  void owns(NodeFacts.Ownership newest) {
    owned.merge(
        newest.partition(),
        newest,
        (known, other) -> other.epoch() > known.epoch() ? other : known);
  }

  /** Who owns what. */
  List<NodeFacts.Ownership> owned() {
    return List.copyOf(owned.values());
  }

  /** The cluster has changed. */
  void changed(ClusterEvent.ClusterDomainEvent event) {
    if (event instanceof ClusterEvent.UnreachableMember lost) {
      unreachable.add(address(lost.member()));
    } else if (event instanceof ClusterEvent.ReachableMember back) {
      unreachable.remove(address(back.member()));
    } else if (event instanceof ClusterEvent.MemberRemoved removed) {
      String gone = address(removed.member());
      up.remove(gone);
      byName.values().removeIf(node -> isVisitorAt(node.facts, gone));
      unreachable.remove(address(removed.member()));
    } else if (event instanceof ClusterEvent.MemberDowned downed) {
      up.remove(address(downed.member()));
    } else if (event instanceof ClusterEvent.MemberEvent other
        && (other.member().status().equals(MemberStatus.up())
            || other.member().status().equals(MemberStatus.weaklyUp()))) {
      up.add(address(other.member()));
    }
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

  /** Whether a member is there and answers. */
  boolean isReachable(String address) {
    return up.contains(address) && !unreachable.contains(address);
  }

  /** Where the living node of a name listens. */
  Optional<String> living(String name) {
    return Optional.ofNullable(byName.get(name))
        .map(node -> node.facts.address())
        .filter(this::isReachable);
  }

  /** The nodes that are there, answer, and have said who they are, by name; without visitors. */
  List<NodeFacts> present() {
    return byName.values().stream()
        .map(Node::facts)
        .filter(facts -> isReachable(facts.address()) && !facts.isVisitor())
        .toList();
  }

  /** Whether all members that answer have said who they are, this node among them. */
  boolean haveSpoken() {
    Set<String> known = new HashSet<>();
    byName.values().forEach(node -> known.add(node.facts.address()));
    return up.stream().filter(this::isReachable).allMatch(known::contains);
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
    return new RingView.Owner(
        known.partition(), known.node(), address, known.epoch(), isReachable(address), lag);
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
