package io.github.stablecut.cluster.internal.handoff;

import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.PartitionMove;
import io.github.stablecut.cluster.PartitionPlace;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.MoveFacts;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.StablecutException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TreeSet;

/** The commands of operators: list partitions, move one, announce a leave, leave. Thread-safe. */
public final class MoveCommands {
  private static final Duration MOVE_TIMEOUT = Duration.ofSeconds(5);

  private final MembershipView view;
  private final PendingRequests asks;
  private final NodePartitions partitions;
  private final HandoffReceiver taking;

  public MoveCommands(
      MembershipView view,
      PendingRequests asks,
      NodePartitions partitions,
      HandoffReceiver taking) {
    this.view = view;
    this.asks = asks;
    this.partitions = partitions;
    this.taking = taking;
  }

  /** Who owns what, as this node knows it. */
  public List<PartitionPlace> places() {
    List<MoveFacts> moves = view.moves();
    return view.owners().stream().map(owner -> place(owner, moves)).toList();
  }

  private static PartitionPlace place(MembershipView.Owner owner, List<MoveFacts> moves) {
    return new PartitionPlace(
        owner.partition(),
        owner.node(),
        owner.address(),
        owner.epoch(),
        owner.isReachable(),
        Duration.ofMillis(owner.lagMillis()),
        moves.stream()
            .filter(move -> move.partition() == owner.partition())
            .map(MoveCommands::move)
            .toList());
  }

  private static PartitionMove move(MoveFacts facts) {
    return new PartitionMove(
        facts.from(),
        facts.to(),
        PartitionMove.State.valueOf(facts.phase().name()),
        facts.copied(),
        facts.total(),
        Duration.of(facts.pauseMicros(), ChronoUnit.MICROS),
        facts.problem(),
        facts.move());
  }

  /**
   * Begins to move a partition to another node.
   *
   * @return the move's number
   * @throws MoveRefusedException if that can't be done
   */
  public long move(int partition, String node) {
    MembershipView.Owner owner = check(partition, node);
    try {
      Reply reply = asks.joinNode(node, partition, new Request.Fetch(owner.node()), MOVE_TIMEOUT);
      if (reply instanceof Reply.Begun begun) {
        return begun.move();
      }
      throw new MoveRefusedException(
          "node %s has not said whether it takes partition %d: look at the status, and try again"
              .formatted(node, partition));
    } catch (StablecutException e) {
      throw new MoveRefusedException(String.valueOf(e.getMessage()));
    }
  }

  private MembershipView.Owner check(int partition, String node) {
    List<MembershipView.Owner> owners = view.owners();
    if (partition < 0 || partition >= owners.size()) {
      throw new MoveRefusedException(
          "there is no partition %d: this cluster has 0 to %d"
              .formatted(partition, owners.size() - 1));
    }
    MembershipView.Owner owner = owners.get(partition);
    if (!view.nodes().containsKey(node)) {
      throw new MoveRefusedException(
          "there is no node %s that can be reached: there are %s"
              .formatted(node, new TreeSet<>(view.nodes().keySet())));
    } else if (owner.node().equals(node)) {
      throw new MoveRefusedException(
          "partition %d is on node %s already".formatted(partition, node));
    } else if (!owner.isReachable()) {
      throw new MoveRefusedException(
          String.valueOf(PendingRequests.unavailable(owner).getMessage()));
    }
    for (MoveFacts move : view.moves()) {
      if (move.partition() == partition && !move.isOver()) {
        throw new MoveRefusedException(
            "partition %d is being moved to node %s already: wait for that"
                .formatted(partition, move.to()));
      }
    }
    return owner;
  }

  /**
   * Sees to it that this node takes no partitions for a while.
   *
   * @param time for how long; zero to take them again
   * @throws MoveRefusedException if it is taking one
   */
  public void announceLeave(Duration time) {
    if (!taking.announceLeave(time)) {
      throw isTaking();
    }
  }

  private MoveRefusedException isTaking() {
    return new MoveRefusedException(
        "a partition is being moved to node %s: wait for that, and have the node leave then"
            .formatted(partitions.name()));
  }

  /**
   * Sees to it that this node takes no more partitions.
   *
   * @throws MoveRefusedException if it has some
   */
  public void leave() {
    List<Integer> left =
        partitions.owner().all().stream().map(open -> open.partition().number()).sorted().toList();
    if (!left.isEmpty()) {
      throw new MoveRefusedException(
          "node %s has partitions %s: move them to other nodes first"
              .formatted(partitions.name(), left));
    }
    if (!taking.leave()) {
      throw isTaking();
    }
  }
}
