package io.github.stablecut.cluster.internal.handoff;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionMove;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.MoveProgress;
import io.github.stablecut.cluster.internal.remote.Moves;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.NodeReplicas;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.StablecutException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Operator commands: list partitions, move one, announce a leave, leave. Thread-safe. */
public final class MoveCommands {
  private static final Duration MOVE_TIMEOUT = Duration.ofSeconds(5);

  private final MembershipView view;
  private final PendingRequests requests;
  private final NodePartitions partitions;
  private final HandoffReceiver receiver;

  public MoveCommands(
      MembershipView view,
      PendingRequests requests,
      NodePartitions partitions,
      HandoffReceiver receiver) {
    this.view = view;
    this.requests = requests;
    this.partitions = partitions;
    this.receiver = receiver;
  }

  /** Returns the moves of partitions to and from a node, for {@link NodePartitions#endMovesBy}. */
  public static Moves moves(HandoffSender sender, HandoffReceiver receiver) {
    return new Moves() {
      @Override
      public boolean end() {
        if (!sender.end()) {
          return false;
        }
        if (!receiver.end()) {
          // The sender resumes, as moves have not ended.
          sender.resume();
          return false;
        }
        return true;
      }

      @Override
      public void goOn() {
        sender.resume();
        receiver.resumeAccepting();
      }
    };
  }

  /** Returns the owner of each partition, as this node knows it. */
  public List<PartitionLocation> places() {
    List<MoveProgress> moves = view.moves();
    Set<Integer> unserved = view.unserved();
    return view.owners().stream()
        .map(owner -> place(owner, !unserved.contains(owner.partition()), moves))
        .toList();
  }

  private static PartitionLocation place(
      MembershipView.Owner owner, boolean isLed, List<MoveProgress> moves) {
    return PartitionLocation.builder(owner.partition(), owner.node(), owner.address())
        .epoch(owner.epoch())
        .isReachable(owner.isReachable())
        .isLed(isLed)
        .lag(Duration.ofMillis(owner.lagMillis()))
        .moves(
            moves.stream()
                .filter(move -> move.partition() == owner.partition())
                .map(MoveCommands::move)
                .toList())
        .build();
  }

  private static PartitionMove move(MoveProgress facts) {
    return PartitionMove.builder(
            facts.from(), facts.to(), PartitionMove.State.valueOf(facts.phase().name()))
        .copiedBytes(facts.copied())
        .totalBytes(facts.total())
        .pause(Duration.of(facts.pauseMicros(), ChronoUnit.MICROS))
        .problem(facts.problem())
        .number(facts.move())
        .build();
  }

  /**
   * Starts to move a partition to another node.
   *
   * @return the move's number
   * @throws MoveRefusedException if the partition can't be moved there
   */
  @CanIgnoreReturnValue
  public long move(int partition, String node) {
    MembershipView.Owner owner = check(partition, node);
    try {
      Reply reply =
          requests.callNode(node, partition, new Request.Fetch(owner.node()), MOVE_TIMEOUT);
      if (reply instanceof Reply.MoveStarted started) {
        return started.move();
      }
      throw new MoveRefusedException(
          "node %s has not confirmed the move of partition %d: check the status, and try again"
              .formatted(node, partition));
    } catch (StablecutException e) {
      throw new MoveRefusedException(String.valueOf(e.getMessage()));
    }
  }

  private MembershipView.Owner check(int partition, String node) {
    refuseIfReplicated("a partition of such a cluster is not moved");
    List<MembershipView.Owner> owners = view.owners();
    if (partition < 0 || partition >= owners.size()) {
      throw new MoveRefusedException(
          "there is no partition %d: this cluster has 0 to %d"
              .formatted(partition, owners.size() - 1));
    }
    MembershipView.Owner owner = owners.get(partition);
    if (!view.nodes().containsKey(node)) {
      throw new MoveRefusedException(
          "node %s is not among the reachable nodes, %s"
              .formatted(node, new TreeSet<>(view.nodes().keySet())));
    } else if (owner.node().equals(node)) {
      throw new MoveRefusedException(
          "partition %d is already on node %s".formatted(partition, node));
    } else if (!owner.isReachable()) {
      throw new MoveRefusedException(
          String.valueOf(PendingRequests.unavailable(owner).getMessage()));
    }
    for (MoveProgress move : view.moves()) {
      if (move.partition() == partition && !move.isOver()) {
        throw new MoveRefusedException(
            "partition %d is already being moved to node %s: wait for that"
                .formatted(partition, move.to()));
      }
    }
    return owner;
  }

  /**
   * Makes this node refuse partitions for a while.
   *
   * @param by the caller that announces the leave
   * @param time for how long; zero to withdraw the announcement
   * @throws MoveRefusedException if the node is receiving a partition
   */
  public void announceLeave(String by, Duration time) {
    if (!receiver.announceLeave(by, time)) {
      throw isTaking();
    }
  }

  private void refuseLeavingIfReplicated() {
    boolean hasSome =
        partitions.replicas().filter(replicas -> !replicas.places().isEmpty()).isPresent();
    if (hasSome || partitions.replicas().filter(NodeReplicas::keepsRegister).isPresent()) {
      throw new MoveRefusedException(
          "node %s has replicas of partitions, or is a member of the configuration register: rebalance the cluster without it, and wait until it has none"
              .formatted(partitions.name()));
    }
  }

  private void refuseIfReplicated(String what) {
    if (view.isReplicated()) {
      throw new MoveRefusedException(
          "partitions of this cluster have replicas, and %s: rebalance spreads the replicas, and leave moves those of a node to others"
              .formatted(what));
    }
  }

  private MoveRefusedException isTaking() {
    return new MoveRefusedException(
        "a partition is being moved to node %s: wait for the end of the move, then repeat the command"
            .formatted(partitions.name()));
  }

  /**
   * Makes this node refuse partitions permanently.
   *
   * @throws MoveRefusedException if the node owns partitions
   */
  public void leave() {
    refuseLeavingIfReplicated();
    List<Integer> left =
        partitions.server().all().stream().map(open -> open.partition().number()).sorted().toList();
    if (!left.isEmpty()) {
      throw new MoveRefusedException(
          "node %s has partitions %s: move them to other nodes first"
              .formatted(partitions.name(), left));
    }
    if (!receiver.leave()) {
      throw isTaking();
    }
  }
}
