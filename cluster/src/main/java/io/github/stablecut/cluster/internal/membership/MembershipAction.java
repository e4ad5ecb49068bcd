package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.ReplicaShortage;
import io.github.stablecut.internal.recovery.NodePlan;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** An action that {@link Membership} requests. Immutable. */
public sealed interface MembershipAction {
  /** Calls the receiver's method for this kind. */
  void handTo(Receiver receiver);

  /** Executes each kind of action. */
  interface Receiver {
    /** {@link Send}. */
    void send(Send action);

    /** {@link Answer}. */
    void answer(Answer action);

    /** {@link Join}. */
    void join(Join action);

    /** {@link Remove}. */
    void remove(Remove action);

    /** {@link Open}. */
    void open(Open action);

    /** {@link MarkFormed}. */
    void markFormed(MarkFormed action);

    /** {@link Update}. */
    void update(Update action);

    /** {@link Remember}. */
    void remember(Remember action);

    /** {@link Publish}. */
    void publish(Publish action);

    /** {@link Serve}. */
    void serve(Serve action);

    /** {@link Learn}. */
    void learn(Learn action);

    /** {@link Warn}. */
    void warn(Warn action);

    /** {@link Log}. */
    void log(Log action);

    /** {@link Fail}. */
    void fail(Fail action);
  }

  /** Send a message to the node at an address. */
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

  /** Join the cluster of the node at an address; start one if that is this node's address. */
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
   * @param elsewhere the partitions that the plan assigns to the node, but that others own now
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

  /** Record a newer plan of the cluster. */
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
   * @param members the addresses to contact then
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

  /**
   * Publish the view of the cluster.
   *
   * @param owners the owners, by partition
   * @param unserved the partitions whose last owners are reachable but no longer serve them
   * @param nodes the addresses of the reachable nodes, by name
   * @param moves the moves of partitions
   */
  record Publish(
      List<MembershipView.Owner> owners,
      Set<Integer> unserved,
      Map<String, String> nodes,
      List<MoveProgress> moves,
      PublishedMembers members,
      PublishedReplicas replicas)
      implements MembershipAction {
    /** Copies the collections. */
    public Publish {
      owners = List.copyOf(owners);
      unserved = Set.copyOf(unserved);
      nodes = Map.copyOf(nodes);
      moves = List.copyOf(moves);
    }

    @Override
    public void handTo(Receiver receiver) {
      receiver.publish(this);
    }
  }

  /**
   * The members of the cluster.
   *
   * @param addresses the addresses of all members
   * @param reachable the names of the reachable nodes, including observers
   * @param leaving the names of the reachable nodes that are leaving
   * @param unreachable the unreachable members
   */
  record PublishedMembers(
      Set<String> addresses,
      Set<String> reachable,
      Set<String> leaving,
      List<MembershipView.UnreachableMember> unreachable) {
    /** Copies the collections. */
    public PublishedMembers {
      addresses = Set.copyOf(addresses);
      reachable = Set.copyOf(reachable);
      leaving = Set.copyOf(leaving);
      unreachable = List.copyOf(unreachable);
    }
  }

  /**
   * The replicas of all partitions.
   *
   * @param upToDate the number of leaders and up-to-date followers
   * @param shortages the partitions with fewer working replicas than configured
   */
  record PublishedReplicas(int upToDate, List<ReplicaShortage> shortages) {
    /** Copies the list. */
    public PublishedReplicas {
      shortages = List.copyOf(shortages);
    }
  }

  /**
   * Start to serve.
   *
   * @param timings the times of the stages of the start, for the log
   */
  record Serve(String timings) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.serve(this);
    }
  }

  /** Merge the state of another node. */
  record Learn(GossipedNodeState facts) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.learn(this);
    }
  }

  /** Warn administrators of a problem that the node survives. */
  record Warn(String problem) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.warn(this);
    }
  }

  /** Log a message for administrators. */
  record Log(String text) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.log(this);
    }
  }

  /** Fail the node, which ends. */
  record Fail(RuntimeException why) implements MembershipAction {
    @Override
    public void handTo(Receiver receiver) {
      receiver.fail(this);
    }
  }
}
