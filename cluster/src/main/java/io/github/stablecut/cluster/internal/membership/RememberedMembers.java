package io.github.stablecut.cluster.internal.membership;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The addresses of the cluster's members, which a node keeps in its directory for its next start.
 * With them it finds its cluster even if no seed answers, or its only seed is itself. Confined to
 * its node's actor.
 *
 * <p>The addresses are hints: the contacted node decides whether this one may join, and a refusal
 * by another store's cluster does not count.
 */
final class RememberedMembers {
  private final MembershipContext node;
  private final String self;
  private final Consumer<MembershipAction> out;

  /** Whether the recorded member is one of the cluster to which this node's cluster gives way. */
  private boolean isReplaced;

  /**
   * @param self this node's address
   * @param out receives the addresses to record
   */
  RememberedMembers(MembershipContext node, String self, Consumer<MembershipAction> out) {
    this.node = node;
    this.self = self;
    this.out = out;
  }

  /**
   * The addresses to contact. None if they were recorded when this node had another address: the
   * directory was moved to another machine, or is a copy, such as one for a test. A copy must not
   * join the cluster of the original unless its seeds say so.
   */
  Set<String> addresses() {
    return node.remembered();
  }

  /**
   * Records the addresses of the reachable members, but only while all owners of partitions are
   * reachable: a node that is cut off must not forget the others. Does nothing after {@link
   * #replace}, as the node handles events until it has ended.
   *
   * @param owners the owners, by partition
   * @param reachable the addresses of the reachable members, with this node's unless it is an
   *     observer
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
   * Records only the address of a member of the cluster to which this node's cluster gives way.
   * Other members of this node's cluster may not have given way yet, and would admit this node
   * again.
   */
  void replace(String address) {
    isReplaced = true;
    out.accept(new MembershipAction.Remember(Set.of(self, address)));
  }
}
