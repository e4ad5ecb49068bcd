package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.PartitionMove.State;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/** Moves partitions by asking a node, and says how far that is. Confined to one thread. */
final class Mover {
  private static final long LOOK_MILLIS = 100;
  private static final long SAY_NANOS = 2_000_000_000L;

  /** A node that is asked has heard of a move after this time, if it ever does. */
  private static final long UNHEARD_NANOS = 30_000_000_000L;

  /** Of this process: another one that has the node leave does so by itself. */
  private final String by = UUID.randomUUID().toString();

  /** If this process disappears, the node takes partitions again after so long. */
  static final int ANNOUNCED_SECONDS = 30;

  /** A node that is asked has heard of the moves of others after this time. */
  private static final long UNSEEN_NANOS = 3_000_000_000L;

  private static final long REPEAT_NANOS = 5_000_000_000L;

  private final AdminPort port;
  private final PrintWriter out;

  private final ArrayNode moved = JsonNodeFactory.instance.arrayNode();

  /** When it was said that the node leaves. */
  private OptionalLong announced = OptionalLong.empty();

  /**
   * @param out is told of each step
   */
  Mover(AdminPort port, PrintWriter out) {
    this.port = port;
    this.out = out;
  }

  ClusterView view() throws IOException, InterruptedException {
    return ClusterView.ask(port);
  }

  /**
   * Has no partitions moved to the node that is asked, as long as this mover moves some away.
   *
   * @throws MoveRefusedException if one is being moved to it
   */
  void announceLeave() throws IOException, InterruptedException {
    announceLeave(ANNOUNCED_SECONDS);
    announced = OptionalLong.of(System.nanoTime());
  }

  /** Has partitions moved to the node that is asked again, unless another process has it leave. */
  void takeBackLeave() throws IOException, InterruptedException {
    announced = OptionalLong.empty();
    announceLeave(0);
  }

  private void announceLeave(int seconds) throws IOException, InterruptedException {
    var unused =
        port.order("/api/v1/cluster/announce-leave?seconds=%d&by=%s".formatted(seconds, by));
  }

  private void repeatLeave() throws IOException, InterruptedException {
    if (announced.isPresent() && System.nanoTime() - announced.getAsLong() > REPEAT_NANOS) {
      announceLeave();
    }
  }

  /**
   * Moves a partition, and waits until that is done.
   *
   * @throws MoveRefusedException if it can't be done, or has failed; the old owner has it then
   */
  void move(int partition, String to) throws IOException, InterruptedException {
    long begun = System.nanoTime();
    String number =
        port.order("/api/v1/cluster/move?partition=%d&node=%s".formatted(partition, encoded(to)))
            .path("move")
            .asText();
    long said = begun;
    boolean isKnown = false;
    while (true) {
      Optional<ClusterView.Place> place = find(partition, to);
      Optional<ClusterView.Move> move = place.flatMap(found -> found.move(number));
      if (move.isEmpty() && (isKnown || System.nanoTime() - begun > UNHEARD_NANOS)) {
        throw new MoveRefusedException(
            "node %s does not say any more how far the move of partition %d is, it was started again perhaps: look at the status"
                .formatted(to, partition));
      } else if (move.isPresent()) {
        isKnown = true;
        if (move.get().state() == State.FAILED) {
          throw new MoveRefusedException(
              "partition %d was not moved: %s".formatted(partition, move.get().problem()));
        } else if (move.get().state() == State.DONE) {
          done(place.orElseThrow(), move.get(), begun);
          return;
        } else if (System.nanoTime() - said > SAY_NANOS) {
          said = System.nanoTime();
          out.println(
              "partition %d: %s".formatted(partition, PrintableText.of(progress(move.get()))));
        }
      }
      repeatLeave();
      Thread.sleep(LOOK_MILLIS);
    }
  }

  /**
   * Moves a partition, or waits while another process moves it away from where it is.
   *
   * @throws MoveRefusedException if neither has moved it
   */
  void moveAway(ClusterView.Place place, String to) throws IOException, InterruptedException {
    try {
      move(place.partition(), to);
    } catch (MoveRefusedException e) {
      if (!isMovedByAnother(place)) {
        throw e;
      }
    }
  }

  private boolean isMovedByAnother(ClusterView.Place place)
      throws IOException, InterruptedException {
    long looked = System.nanoTime();
    while (true) {
      ClusterView.Place now = placeOf(view(), place.partition()).orElse(place);
      if (!now.node().equals(place.node())) {
        return true;
      }
      if (now.current().isPresent()) {
        looked = System.nanoTime();
      } else if (System.nanoTime() - looked > UNSEEN_NANOS) {
        return false;
      }
      repeatLeave();
      Thread.sleep(LOOK_MILLIS);
    }
  }

  /** Waits until the node that is asked has no copies of partitions, and keeps no register. */
  void awaitNothingKept() throws IOException, InterruptedException {
    long said = System.nanoTime();
    while (true) {
      ClusterView view = view();
      if (view.replicas().isEmpty() && !view.keepsRegister()) {
        return;
      }
      if (System.nanoTime() - said > SAY_NANOS) {
        said = System.nanoTime();
        out.println(
            "node %s has %d replicas of partitions still%s"
                .formatted(
                    PrintableText.of(view.node()),
                    view.replicas().size(),
                    view.keepsRegister()
                        ? ", and keeps a part of the configuration register"
                        : ""));
      }
      repeatLeave();
      Thread.sleep(LOOK_MILLIS);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  private Optional<ClusterView.Place> find(int partition, String to)
      throws IOException, InterruptedException {
    ClusterView view = view();
    if (!view.nodes().contains(to)) {
      throw new MoveRefusedException(
          "there is no node %s that can be reached: there are %s; look at the status later"
              .formatted(to, view.nodes()));
    }
    return placeOf(view, partition);
  }

  private static Optional<ClusterView.Place> placeOf(ClusterView view, int partition) {
    return view.places().stream().filter(place -> place.partition() == partition).findFirst();
  }

  static String progress(ClusterView.Move move) {
    return move.state() == State.SWITCHING
        ? "node " + move.to() + " takes over"
        : "moves to node %s, %,d of %,d bytes are there"
            .formatted(move.to(), move.copied(), move.total());
  }

  /** The moves that are done, as JSON. */
  ArrayNode moved() {
    return moved;
  }

  private void done(ClusterView.Place place, ClusterView.Move move, long begun) {
    long millis = (System.nanoTime() - begun) / 1_000_000;
    moved
        .addObject()
        .put("partition", place.partition())
        .put("node", place.node())
        .put("epoch", place.epoch())
        .put("bytes", move.total())
        .put("millis", millis)
        .put("pauseMillis", move.pauseMillis());
    out.println(
        "partition %d is on node %s at epoch %d: %,d bytes in %,d ms, %,d ms of which it was not served"
            .formatted(
                place.partition(),
                place.node(),
                place.epoch(),
                move.total(),
                millis,
                move.pauseMillis()));
  }

  /** The node with the fewest partitions, of those that stay. */
  static Optional<String> emptiest(ClusterView view, Set<String> but) {
    return view.counts().entrySet().stream()
        .filter(count -> view.isStaying(count.getKey()) && !but.contains(count.getKey()))
        .min(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey);
  }
}
