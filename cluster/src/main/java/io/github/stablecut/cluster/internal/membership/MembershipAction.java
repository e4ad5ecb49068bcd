package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.NodePlan;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the membership of a node wants done, in order. Immutable. */
public sealed interface MembershipAction {
  /** Calls the receiver's method for this kind. */
  void handTo(Receiver receiver);

  /** Executes each kind of action. */
  interface Receiver {
    /** Sends a message. */
    void send(Send action);

    /** Answers a message. */
    void answer(Answer action);

    /** Joins or begins a cluster. */
    void join(Join action);

    /** Removes a member. */
    void remove(Remove action);

    /** Opens partitions. */
    void open(Open action);

    /** Records that all partitions have been open. */
    void markFormed(MarkFormed action);

    /** Takes note of a newer plan. */
    void update(Update action);

    /** Records the addresses of members. */
    void remember(Remember action);

    /** Invalidates the proven routes. */
    void distrustRoutes(DistrustRoutes action);

    /** Publishes who owns what. */
    void publish(Publish action);

    /** Serves. */
    void serve(Serve action);

    /** Takes note of what another node tells. */
    void learn(Learn action);

    /** Tells operators of a problem. */
    void warn(Warn action);

    /** Logs something. */
    void log(Log action);

    /** Ends the node. */
    void fail(Fail action);
  }

  /** Send a message to the node that listens at an address. */
  record Send(String address, MembershipMessage message) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.send(this);
    }
  }

  /** Answer the sender of a message. */
  record Answer(Object sender, MembershipMessage message) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.answer(this);
    }
  }

  /** Join the cluster of the node at an address; begin one if that is this node's. */
  record Join(String address) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.join(this);
    }
  }

  /** Remove the member at an address. */
  record Remove(String address) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.remove(this);
    }
  }

  /**
   * Open the partitions of a plan.
   *
   * @param elsewhere partitions that the plan gives the node, but others own by now
   */
  record Open(NodePlan plan, List<GossipedNodeState.Ownership> elsewhere)
      implements MembershipAction {
    /** Copies the list. */
    public Open {
      elsewhere = List.copyOf(elsewhere);
    }

    @Override
    public void handTo(Receiver receiver) {
      receiver.open(this);
    }
  }

  /** Take note of a newer plan of the cluster, in which other nodes have copies. */
  record Update(NodePlan plan) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.update(this);
    }
  }

  /** Record that all partitions have been open. */
  record MarkFormed() implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.markFormed(this);
    }
  }

  /**
   * Record the addresses of members in the directory, for the next start.
   *
   * @param members the addresses to ask then
   */
  record Remember(Set<String> members) implements MembershipAction {
    /** Copies the set. */
    public Remember {
      members = Set.copyOf(members);
    }

    @Override
    public void handTo(Receiver receiver) {
      receiver.remember(this);
    }
  }

  /** A node was lost, perhaps the one that knows where entities are. */
  record DistrustRoutes() implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.distrustRoutes(this);
    }
  }

  /**
   * Publish who owns what.
   *
   * @param owners by partition
   * @param nodes the addresses of the nodes that can be asked, by name
   * @param moves of partitions
   * @param members the addresses of all members
   * @param leaving the names of the nodes that leave
   * @param away the members that can't be asked
   * @param replicasUpToDate how many copies there are that lead, or follow and lack nothing
   * @param unserved the partitions whose last owners are there, and serve them no more
   */
  record Publish(
      List<MembershipView.Owner> owners,
      Map<String, String> nodes,
      List<MoveProgress> moves,
      Set<String> members,
      Set<String> leaving,
      List<MembershipView.Away> away,
      int replicasUpToDate,
      Set<Integer> unserved)
      implements MembershipAction {
    /** Copies the collections. */
    public Publish {
      owners = List.copyOf(owners);
      nodes = Map.copyOf(nodes);
      moves = List.copyOf(moves);
      members = Set.copyOf(members);
      leaving = Set.copyOf(leaving);
      away = List.copyOf(away);
      unserved = Set.copyOf(unserved);
    }

    @Override
    public void handTo(Receiver receiver) {
      receiver.publish(this);
    }
  }

  /**
   * Serve.
   *
   * @param timings how long what took
   */
  record Serve(String timings) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.serve(this);
    }
  }

  /** Take note of what a node knows of other data centres. */
  record Learn(GossipedNodeState facts) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.learn(this);
    }
  }

  /** Tell operators of a problem with which the node goes on. */
  record Warn(String problem) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.warn(this);
    }
  }

  /** Log something that operators may want to know. */
  record Log(String text) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.log(this);
    }
  }

  /** End the node. */
  record Fail(RuntimeException why) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.fail(this);
    }
  }
}
