package io.github.stablecut.cluster.internal.ring;

import akka.actor.typed.ActorRef;
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
import java.util.stream.Collectors;

/** What a node knows of the others. Confined to one actor. */
final class Members {
  /** A node that was heard of. */
  record Node(NodeFacts facts, ActorRef<RingMessage> ref, long heardNanos) {}

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

  /** Since when members can't be reached. */
  private final Map<String, Long> unreachable = new HashMap<>();

  /** A node has said who it is. Who had its address before is not there any more. */
  void heard(NodeFacts facts, ActorRef<RingMessage> ref) {
    byName
        .values()
        .removeIf(
            node ->
                node.facts.address().equals(facts.address())
                    && !node.facts.name().equals(facts.name()));
    var unused = byName.put(facts.name(), new Node(facts, ref, System.nanoTime()));
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
      var unused = unreachable.putIfAbsent(address(lost.member()), System.nanoTime());
    } else if (event instanceof ClusterEvent.ReachableMember back) {
      var unused = unreachable.remove(address(back.member()));
    } else if (event instanceof ClusterEvent.MemberRemoved removed) {
      String gone = address(removed.member());
      gone(gone);
      byName.values().removeIf(node -> isVisitorAt(node.facts, gone));
      var unused = unreachable.remove(gone);
    } else if (event instanceof ClusterEvent.MemberDowned downed) {
      gone(address(downed.member()));
    } else if (event instanceof ClusterEvent.MemberEvent other
        && (other.member().status().equals(MemberStatus.up())
            || other.member().status().equals(MemberStatus.weaklyUp()))) {
      up.add(address(other.member()));
    }
  }

  /** Whoever has its address next may be another node. */
  private void gone(String address) {
    boolean unused = up.remove(address);
    boolean unusedToo = spoken.remove(address);
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
    return up.contains(address) && !unreachable.containsKey(address);
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
    long now = System.nanoTime();
    for (Member member : all) {
      Long since = unreachable.get(address(member));
      if (AWAITED.contains(member.status())) {
        isAwaited = true;
      } else if (since != null && now - since > LOST_AFTER.toNanos()) {
        lost.add(member);
      }
    }
    return isAwaited ? lost : List.of();
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

  /** Whether all members that answer have said who they are, this node among them. */
  boolean haveSpoken() {
    return up.stream().filter(this::isReachable).allMatch(spoken::contains);
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
