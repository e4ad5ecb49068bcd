package io.github.stablecut.cluster.internal.membership;

/**
 * A handoff after the sender has closed the partition, and before it gives the partition away.
 *
 * @param to the receiver
 */
record SimulatedHandoff(
    SimulatedCluster cluster, SimulatedNode from, int partition, SimulatedNode to) {
  private static final int EPOCHS_PER_MOVE = 1_000;

  /** Whether partitions can move between two nodes now. */
  static boolean isPossible(SimulatedCluster cluster, SimulatedNode from, SimulatedNode to) {
    return from != to
        && from.isServing()
        && to.isServing()
        && from.newest().isEmpty()
        && to.newest().isEmpty()
        && from.directory().storeId() == to.directory().storeId()
        && cluster.isLinked(from, to);
  }

  /**
   * Gives the partition to the receiver, or has the sender reopen it if the receiver has failed.
   */
  void finish() {
    if (!isPossible(cluster, from, to)) {
      cluster.say("%s reopens partition %d".formatted(from.name, partition));
      from.open(partition);
      cluster.rules.recordServing(from);
      return;
    }
    long epoch =
        Math.max(from.directory().newestEpoch(), to.directory().newestEpoch()) + EPOCHS_PER_MOVE;
    cluster.say(
        "partition %d goes from %s to %s at %d".formatted(partition, from.name, to.name, epoch));
    from.directory().give(partition, to.name, epoch);
    to.directory().take(partition, epoch);
    cluster.rules.checkOpening(to, partition, epoch);
    to.receive(
        MoveProgress.in(MoveProgress.Phase.DONE, partition, from.name, to.name, epoch), epoch);
    cluster.rules.recordServing(to);
  }
}
