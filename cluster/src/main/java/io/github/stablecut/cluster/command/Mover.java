package io.github.stablecut.cluster.command;

import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.PartitionMove.State;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Moves partitions by asking a node, and says how far that is. Confined to one thread. */
final class Mover {
  private static final long LOOK_MILLIS = 100;
  private static final long SAY_NANOS = 2_000_000_000L;

  private final OperatorsPort port;
  private final PrintWriter out;

  Mover(OperatorsPort port, PrintWriter out) {
    this.port = port;
    this.out = out;
  }

  ClusterView view() throws IOException, InterruptedException {
    return ClusterView.ask(port);
  }

  /**
   * Moves a partition, and waits until that is done.
   *
   * @throws MoveRefusedException if it can't be done, or has failed; the old owner has it then
   */
  void move(int partition, String to) throws IOException, InterruptedException {
    Optional<ClusterView.Move> earlier = find(partition, to).flatMap(place -> place.moveTo(to));
    long begun = System.nanoTime();
    port.order("/api/v1/cluster/move?partition=%d&node=%s".formatted(partition, to));
    long said = begun;
    boolean isUnderWay = earlier.isEmpty();
    while (true) {
      Optional<ClusterView.Place> place = find(partition, to);
      Optional<ClusterView.Move> move = place.flatMap(found -> found.moveTo(to));
      isUnderWay |= !move.equals(earlier);
      if (isUnderWay && move.isPresent()) {
        if (move.get().state() == State.FAILED) {
          throw new MoveRefusedException(
              "partition %d was not moved: %s".formatted(partition, move.get().problem()));
        }
        if (move.get().state() == State.DONE && place.orElseThrow().node().equals(to)) {
          done(place.orElseThrow(), move.get(), begun);
          return;
        }
        if (System.nanoTime() - said > SAY_NANOS) {
          said = System.nanoTime();
          out.println("partition %d: %s".formatted(partition, progress(move.get())));
        }
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  private Optional<ClusterView.Place> find(int partition, String to)
      throws IOException, InterruptedException {
    ClusterView view = view();
    if (!view.nodes().contains(to)) {
      throw new MoveRefusedException(
          "there is no node %s that can be reached: there are %s; look at the status later"
              .formatted(to, view.nodes()));
    }
    return view.places().stream().filter(place -> place.partition() == partition).findFirst();
  }

  static String progress(ClusterView.Move move) {
    return move.state() == State.SWITCHING
        ? "node " + move.to() + " takes over"
        : "moves to node %s, %,d of %,d bytes are there"
            .formatted(move.to(), move.copied(), move.total());
  }

  private void done(ClusterView.Place place, ClusterView.Move move, long begun) {
    out.println(
        "partition %d is on node %s at epoch %d: %,d bytes in %,d ms, %,d ms of which it was not served"
            .formatted(
                place.partition(),
                place.node(),
                place.epoch(),
                move.total(),
                (System.nanoTime() - begun) / 1_000_000,
                move.pauseMillis()));
  }

  /** The node with the fewest partitions. */
  static Optional<String> emptiest(ClusterView view, Set<String> but) {
    return view.counts().entrySet().stream()
        .filter(count -> view.nodes().contains(count.getKey()) && !but.contains(count.getKey()))
        .min(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey);
  }
}
