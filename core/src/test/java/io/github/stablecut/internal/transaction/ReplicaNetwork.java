package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.replica.ReplicaMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * The network between the replicas of a {@link SimulatedCluster}: messages are lost, late, repeated
 * and reordered, and links are cut in one or both directions. Confined to one thread.
 */
final class ReplicaNetwork {
  private static final int USUAL_MILLIS = 5;
  private static final int LATE_MILLIS = 3_000;

  private final Random random;
  private final SimulatedTime time;
  private final ReplicatedFaults faults;
  private final SimulatedCluster cluster;

  /** The links that are cut ({@link ReplicatedFaults#link}). */
  private final Set<String> cut = new HashSet<>();

  /** Loses messages of its choice. */
  private MessageFilter filter = (number, from, message) -> false;

  /** Whether cuts stop only the messages between replicas. */
  private boolean isPartial;

  private boolean isCalm;

  /** Chooses messages. */
  interface MessageFilter {
    /**
     * Whether a message between replicas of a partition is chosen.
     *
     * @param from the index of the sender
     */
    boolean test(int number, int from, ReplicaMessage message);
  }

  ReplicaNetwork(
      Random random, SimulatedTime time, ReplicatedFaults faults, SimulatedCluster cluster) {
    this.random = random;
    this.time = time;
    this.faults = faults;
    this.cluster = cluster;
    this.isPartial = faults.isPartial();
  }

  /** Ends the faults. */
  void calm() {
    isCalm = true;
    heal();
  }

  void send(ReplicatedNode from, int number, String to, ReplicaMessage message) {
    boolean isLost = !isCalm && random.nextInt(100) < faults.lossPercent();
    for (int copies = isLost ? random.nextInt(3) : 1; copies > 0; copies--) {
      boolean isLate = !isCalm && random.nextInt(100) < faults.latePercent();
      time.at(
          time.soon(isLate ? LATE_MILLIS : USUAL_MILLIS), () -> deliver(from, number, to, message));
    }
  }

  private void deliver(ReplicatedNode from, int number, String to, ReplicaMessage message) {
    cluster
        .named(to)
        .filter(receiver -> isConnected(from.index(), receiver.index()))
        .filter(receiver -> !filter.test(number, from.index(), message))
        .ifPresent(
            receiver -> receiver.whenRunning(() -> receiver.receive(number, from.name(), message)));
  }

  /** Whether messages from one node to another arrive. */
  boolean isConnected(int from, int to) {
    return cut.isEmpty() || !cut.contains(ReplicatedFaults.link(from, to));
  }

  /** Whether other messages from one node to another arrive. */
  boolean isConnectedForOthers(int from, int to) {
    return isPartial || isConnected(from, to);
  }

  /** Sets whether cuts stop only the messages between replicas, until links are healed. */
  void setPartial(boolean partial) {
    isPartial = partial;
  }

  /** Cuts links for a while. */
  void cut(List<String> links) {
    cut.addAll(links);
    time.at(interruptionEnd(), () -> links.forEach(cut::remove));
  }

  /** When a cut or a pause that begins now ends. */
  long interruptionEnd() {
    return time.soon(faults.longerMillis()) + faults.shortestMillis() * SimulatedTime.MILLI;
  }

  /**
   * Cuts links of a node for a while.
   *
   * @param isMute whether nothing that it sends arrives
   * @param isDeaf whether nothing arrives at it
   */
  void cutOff(int index, boolean isMute, boolean isDeaf) {
    List<String> links = new ArrayList<>();
    for (int other = 0; other < SimulatedCluster.NODES; other++) {
      if (other != index && isMute) {
        links.add(ReplicatedFaults.link(index, other));
      }
      if (other != index && isDeaf) {
        links.add(ReplicatedFaults.link(other, index));
      }
    }
    cut(links);
  }

  /** Cuts the links of one of the history's shapes, and heals all others. */
  void shape() {
    heal();
    cut(List.copyOf(faults.shapes().get(random.nextInt(faults.shapes().size()))));
  }

  /** Heals all links, and loses no messages of choice any longer. */
  void heal() {
    cut.clear();
    filter = (number, from, message) -> false;
    isPartial = faults.isPartial();
  }

  /** Loses some messages until links are healed. */
  void lose(MessageFilter lost) {
    filter = lost;
  }
}
