package io.github.stablecut.cluster.command.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.PartitionMove.State;
import io.github.stablecut.cluster.command.AdminPort;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/**
 * Moves partitions through a node's admin port, and prints the progress. Confined to one thread.
 */
final class Mover {
  private static final long POLL_MILLIS = 100;
  private static final long PRINT_INTERVAL_NANOS = 2_000_000_000L;

  /** A node reports a move by this time, or never. */
  private static final long MOVE_UNKNOWN_NANOS = 30_000_000_000L;

  /**
   * Identifies this process as the announcer of the leave; others have announcements of their own.
   */
  private final String announcer = UUID.randomUUID().toString();

  /**
   * The lifetime of an announcement: if this process dies, the node accepts partitions again after
   * this time.
   */
  static final int ANNOUNCED_SECONDS = 30;

  /** A node reports a move that another process started by this time. */
  private static final long OTHER_MOVE_UNKNOWN_NANOS = 3_000_000_000L;

  private static final long RENEW_INTERVAL_NANOS = 5_000_000_000L;

  private final AdminPort port;
  private final PrintWriter out;

  private final ArrayNode moved = JsonNodeFactory.instance.arrayNode();

  /** The time of the last announcement of the leave; empty if there is none. */
  private OptionalLong announcedNanos = OptionalLong.empty();

  /**
   * @param out receives a line for each step
   */
  Mover(AdminPort port, PrintWriter out) {
    this.port = port;
    this.out = out;
  }

  ClusterView view() throws IOException, InterruptedException {
    return ClusterView.ask(port);
  }

  /**
   * Makes the node refuse partitions while this mover moves its partitions away.
   *
   * @throws MoveRefusedException if a partition is being moved to the node
   */
  void announceLeave() throws IOException, InterruptedException {
    announceLeave(ANNOUNCED_SECONDS);
    announcedNanos = OptionalLong.of(System.nanoTime());
  }

  /** Makes the node accept partitions again, unless another process announces its leave. */
  void withdrawLeave() throws IOException, InterruptedException {
    announcedNanos = OptionalLong.empty();
    announceLeave(0);
  }

  private void announceLeave(int seconds) throws IOException, InterruptedException {
    port.execute("/api/v1/cluster/announce-leave?seconds=%d&by=%s".formatted(seconds, announcer));
  }

  private void renewLeave() throws IOException, InterruptedException {
    if (announcedNanos.isPresent()
        && System.nanoTime() - announcedNanos.getAsLong() > RENEW_INTERVAL_NANOS) {
      announceLeave();
    }
  }

  /**
   * Moves a partition, and waits until the move is done.
   *
   * @throws MoveRefusedException if the move is refused or fails; the old owner then keeps the
   *     partition
   */
  void move(int partition, String to) throws IOException, InterruptedException {
    long startedNanos = System.nanoTime();
    String number =
        port.execute("/api/v1/cluster/move?partition=%d&node=%s".formatted(partition, encoded(to)))
            .path("move")
            .asText();
    long printedNanos = startedNanos;
    boolean isKnown = false;
    while (true) {
      Optional<ClusterView.Location> location = find(partition, to);
      Optional<ClusterView.Move> move = location.flatMap(found -> found.move(number));
      if (move.isEmpty() && (isKnown || System.nanoTime() - startedNanos > MOVE_UNKNOWN_NANOS)) {
        throw new MoveRefusedException(
            "node %s no longer reports the move of partition %d, perhaps after a restart: look at cluster status"
                .formatted(to, partition));
      } else if (move.isPresent()) {
        isKnown = true;
        if (move.get().state() == State.FAILED) {
          throw new MoveRefusedException(
              "partition %d was not moved: %s".formatted(partition, move.get().problem()));
        } else if (move.get().state() == State.DONE) {
          recordDone(location.orElseThrow(), move.get(), startedNanos);
          return;
        } else if (System.nanoTime() - printedNanos > PRINT_INTERVAL_NANOS) {
          printedNanos = System.nanoTime();
          out.println(
              "partition %d: %s".formatted(partition, PrintableText.of(progress(move.get()))));
        }
      }
      renewLeave();
      Thread.sleep(POLL_MILLIS);
    }
  }

  /**
   * Moves a partition, or waits while another process moves it away from its owner.
   *
   * @throws MoveRefusedException if neither has moved it
   */
  void moveAway(ClusterView.Location from, String to) throws IOException, InterruptedException {
    try {
      move(from.partition(), to);
    } catch (MoveRefusedException e) {
      if (awaitOtherMove(from) == OtherMove.NONE) {
        throw e;
      }
    }
  }

  /** The state of a partition's move by another process. */
  private enum OtherMove {
    /** The other process has moved the partition away. */
    DONE,
    /** No other process moves the partition. */
    NONE
  }

  private OtherMove awaitOtherMove(ClusterView.Location from)
      throws IOException, InterruptedException {
    long seenNanos = System.nanoTime();
    while (true) {
      ClusterView.Location now = locationOf(view(), from.partition()).orElse(from);
      if (!now.node().equals(from.node())) {
        return OtherMove.DONE;
      }
      if (now.current().isPresent()) {
        seenNanos = System.nanoTime();
      } else if (System.nanoTime() - seenNanos > OTHER_MOVE_UNKNOWN_NANOS) {
        return OtherMove.NONE;
      }
      renewLeave();
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Waits until the node has no replicas, and is not a member of the configuration register. */
  void awaitNoReplicas() throws IOException, InterruptedException {
    long printedNanos = System.nanoTime();
    while (true) {
      ClusterView view = view();
      if (view.replicas().isEmpty() && !view.keepsRegister()) {
        return;
      }
      if (System.nanoTime() - printedNanos > PRINT_INTERVAL_NANOS) {
        printedNanos = System.nanoTime();
        out.println(
            "node %s still has %d replicas of partitions%s"
                .formatted(
                    PrintableText.of(view.node()),
                    view.replicas().size(),
                    view.keepsRegister() ? ", and is a member of the configuration register" : ""));
      }
      renewLeave();
      Thread.sleep(POLL_MILLIS);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  private Optional<ClusterView.Location> find(int partition, String to)
      throws IOException, InterruptedException {
    ClusterView view = view();
    if (!view.nodes().contains(to)) {
      throw new MoveRefusedException(
          "node %s can't be reached, only %s can: look at cluster status later"
              .formatted(to, view.nodes()));
    }
    return locationOf(view, partition);
  }

  private static Optional<ClusterView.Location> locationOf(ClusterView view, int partition) {
    return view.partitions().stream()
        .filter(location -> location.partition() == partition)
        .findFirst();
  }

  static String progress(ClusterView.Move move) {
    return move.state() == State.SWITCHING
        ? "node " + move.to() + " takes over"
        : "moves to node %s, %,d of %,d bytes are copied"
            .formatted(move.to(), move.copied(), move.total());
  }

  /** The completed moves, as JSON. */
  ArrayNode moved() {
    return moved;
  }

  private void recordDone(ClusterView.Location location, ClusterView.Move move, long startedNanos) {
    long millis = (System.nanoTime() - startedNanos) / 1_000_000;
    moved
        .addObject()
        .put("partition", location.partition())
        .put("node", location.node())
        .put("epoch", location.epoch())
        .put("bytes", move.total())
        .put("millis", millis)
        .put("pauseMillis", move.pauseMillis());
    out.println(
        "partition %d is on node %s at epoch %d: %,d bytes in %,d ms, %,d ms of them unavailable"
            .formatted(
                location.partition(),
                location.node(),
                location.epoch(),
                move.total(),
                millis,
                move.pauseMillis()));
  }

  /** The node with the fewest partitions, among those that stay and are not excluded. */
  static Optional<String> emptiest(ClusterView view, Set<String> excluded) {
    return view.counts().entrySet().stream()
        .filter(count -> view.isStaying(count.getKey()) && !excluded.contains(count.getKey()))
        .min(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey);
  }
}
