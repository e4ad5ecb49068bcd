package io.github.stablecut.cluster.internal.ring;

import io.github.stablecut.internal.recovery.NodePlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who and how a node is, as it tells the others. Immutable.
 *
 * @param protocol the version of the messages that it understands
 * @param name the node's
 * @param address where it listens, as {@code host:port}
 * @param clock its time, as a timestamp at or above all commits that it knows to be acknowledged
 * @param partitions how many it wants a new store to have, and an old one must; 0 for any
 * @param formWith with how many nodes it wants a new cluster to be made; 0 if it was not told
 * @param plan the cluster that it belongs to; empty if to none yet
 * @param owned what it knows of who owns which partition
 * @param moves of partitions to it
 * @param isVisitor whether it never has partitions
 * @param isLeaving whether it takes no partitions, because it leaves the cluster
 */
record NodeFacts(
    int protocol,
    String name,
    String address,
    long clock,
    int partitions,
    int formWith,
    Optional<NodePlan> plan,
    List<Ownership> owned,
    List<MoveFacts> moves,
    boolean isVisitor,
    boolean isLeaving) {
  /** The version of the messages that this program understands. */
  static final int PROTOCOL = 6;

  /**
   * Who owned a partition when it was heard of last.
   *
   * @param epoch the partition's; the greatest counts
   */
  record Ownership(int partition, String node, long epoch) {}

  NodeFacts {
    owned = List.copyOf(owned);
    moves = List.copyOf(moves);
  }

  void write(WireOutput out) {
    // The first two stay where they are in all versions.
    out.size(protocol).text(name).text(address).number(clock).size(partitions).size(formWith);
    out.kind(plan.isPresent() ? 1 : 0);
    plan.ifPresent(
        known -> {
          out.kind(known.isFormed() ? 1 : 0).number(known.storeId()).text(known.name());
          out.size(known.owners().size());
          known.owners().forEach(out::text);
        });
    out.size(owned.size());
    owned.forEach(one -> out.size(one.partition).text(one.node).number(one.epoch));
    out.size(moves.size());
    moves.forEach(move -> move.write(out));
    out.kind(isVisitor ? 1 : 0);
    out.kind(isLeaving ? 1 : 0);
  }

  /** The facts of a node; of one with another protocol those that are the same in all. */
  static NodeFacts read(WireInput in) {
    int protocol = in.small();
    String name = in.text();
    if (protocol != PROTOCOL) {
      in.skip();
      return new NodeFacts(
          protocol, name, "", 0, 0, 0, Optional.empty(), List.of(), List.of(), false, false);
    }
    String address = in.text();
    long clock = in.count();
    int partitions = in.small();
    int formWith = in.small();
    Optional<NodePlan> plan = in.kind() == 0 ? Optional.empty() : Optional.of(readPlan(in));
    List<Ownership> owned = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      owned.add(new Ownership(in.small(), in.text(), in.count()));
    }
    List<MoveFacts> moves = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      moves.add(MoveFacts.read(in));
    }
    boolean isVisitor = in.kind() != 0;
    boolean isLeaving = in.kind() != 0;
    return new NodeFacts(
        protocol,
        name,
        address,
        clock,
        partitions,
        formWith,
        plan,
        owned,
        moves,
        isVisitor,
        isLeaving);
  }

  private static NodePlan readPlan(WireInput in) {
    boolean isFormed = in.kind() != 0;
    long storeId = in.number();
    String node = in.text();
    List<String> owners = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      owners.add(in.text());
    }
    try {
      return new NodePlan(storeId, node, owners, isFormed);
    } catch (IllegalArgumentException e) {
      throw new BadMessageException("a plan", e);
    }
  }
}
