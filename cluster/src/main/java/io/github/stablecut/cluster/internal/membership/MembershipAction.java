package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.NodePlan;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the membership of a node wants done, in order. Immutable. */
public sealed interface MembershipAction {
  /** Send a message to the node that listens at an address. */
  record Send(String address, MembershipMessage message) implements MembershipAction {}

  /** Answer the sender of a message. */
  record Answer(Object sender, MembershipMessage message) implements MembershipAction {}

  /** Join the cluster of the node at an address; begin one if that is this node's. */
  record Join(String address) implements MembershipAction {}

  /** Remove the member at an address. */
  record Remove(String address) implements MembershipAction {}

  /**
   * Open the partitions of a plan.
   *
   * @param elsewhere partitions that the plan gives the node, but others own by now
   */
  record Open(NodePlan plan, List<NodeFacts.Ownership> elsewhere) implements MembershipAction {
    /** Copies the list. */
    public Open {
      elsewhere = List.copyOf(elsewhere);
    }
  }

  /** Take note that all partitions have been there. */
  record MarkFormed() implements MembershipAction {}

  /** A node was lost, perhaps the one that knows where entities are. */
  record DistrustRoutes() implements MembershipAction {}

  /**
   * Publish who owns what.
   *
   * @param owners by partition
   * @param nodes the addresses of the nodes that can be asked, by name
   * @param moves of partitions
   * @param members the addresses of all members
   * @param leaving the names of the nodes that leave
   */
  record Publish(
      List<MembershipView.Owner> owners,
      Map<String, String> nodes,
      List<MoveFacts> moves,
      Set<String> members,
      Set<String> leaving)
      implements MembershipAction {
    /** Copies the collections. */
    public Publish {
      owners = List.copyOf(owners);
      nodes = Map.copyOf(nodes);
      moves = List.copyOf(moves);
      members = Set.copyOf(members);
      leaving = Set.copyOf(leaving);
    }
  }

  /**
   * Serve.
   *
   * @param timings how long what took
   */
  record Serve(String timings) implements MembershipAction {}

  /** Tell operators of a problem with which the node goes on. */
  record Warn(String problem) implements MembershipAction {}

  /** Log something that operators may want to know. */
  record Log(String text) implements MembershipAction {}

  /** End the node. */
  record Fail(RuntimeException why) implements MembershipAction {}
}
