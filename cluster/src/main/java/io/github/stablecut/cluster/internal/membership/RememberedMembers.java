package io.github.stablecut.cluster.internal.membership;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The addresses of the cluster's members, which a node keeps in its directory from one start to the
 * next. With them it finds its cluster although no seed answers, or its only seed is itself.
 * Confined to its node's actor.
 *
 * <p>They are hints: the node that is asked decides whether this one may join, and a refusal by
 * another store's cluster does not count.
 */
final class RememberedMembers {
  private final MembershipContext node;
  private final String self;
  private final Consumer<MembershipAction> out;

  /** Whether the members are those of the cluster to which this node's cluster gives way. */
  private boolean isReplaced;

  /**
   * @param self this node's address
   * @param out gets the addresses to keep
   */
  RememberedMembers(MembershipContext node, String self, Consumer<MembershipAction> out) {
    this.node = node;
    this.self = self;
    this.out = out;
  }

  /**
   * The addresses to ask. None if they were recorded at another address: the directory was moved to
   * another machine, or is a copy, such as one for a test. A copy must not join the cluster of the
   * original unless its seeds say so.
   */
  Set<String> addresses() {
    return node.remembered();
  }

  /**
   * Keeps the addresses of the reachable members. Only while all owners of partitions are
   * reachable: a node that is cut off must not forget the others. After {@link #replace} it does
   * nothing: the node still gets events until it has ended.
   *
   * @param owners by partition
   * @param reachable this node's address among them, unless it never has partitions
   */
  void update(List<MembershipView.Owner> owners, Collection<String> reachable) {
    Set<String> members = Set.copyOf(reachable);
    if (!isReplaced
        && members.contains(self)
        && owners.stream().allMatch(MembershipView.Owner::isReachable)
        && !members.equals(node.remembered())) {
      out.accept(new MembershipAction.Remember(members));
    }
  }

  /**
   * Keeps only the address of a member of the cluster to which this node's cluster gives way. The
   * other members of the latter may not give way yet, and would let this node in once more.
   */
  void replace(String address) {
    isReplaced = true;
    out.accept(new MembershipAction.Remember(Set.of(self, address)));
  }
}
