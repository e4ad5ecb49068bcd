package io.github.stablecut.console;

import io.github.stablecut.Latencies;
import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The data that a console shows: a store and the location of its partitions. Thread-safe. */
public interface ConsoleSource {
  /** The store; it may change. */
  Store store();

  /** The store's status. */
  default StoreStatus status() {
    return store().status();
  }

  /** The title of the page: the name of the node, or the directory of the store. */
  String name();

  /** The nodes of the cluster; empty without a cluster. */
  List<Node> nodes();

  /** The cluster's partitions by number; empty without a cluster. */
  List<Partition> places();

  /** The latencies of clients' requests since the start, by kind; empty without clients. */
  Map<String, Latencies> requests();

  /** Problems that the store's status does not contain. */
  List<String> warnings();

  /**
   * A node of a cluster.
   *
   * @param state such as {@code here}, {@code reachable}, {@code leaving} or {@code away}
   */
  record Node(String name, State state) {}

  /** The state of a node. */
  enum State {
    /** This node. */
    HERE,
    /** The node answers. */
    REACHABLE,
    /** The node answers and is about to leave. */
    LEAVING,
    /** The node does not answer. */
    AWAY
  }

  /**
   * The location of a partition.
   *
   * @param node the name of its owner; empty if unknown
   * @param isServing whether the owner answers
   * @param lagMillis the time since the owner's last heartbeat
   * @param move a handoff in progress
   */
  record Partition(
      int partition, String node, boolean isServing, long lagMillis, Optional<Move> move) {}

  /**
   * A handoff of a partition.
   *
   * @param to the name of the receiver
   * @param percent the part that the receiver has
   */
  record Move(String to, int percent) {}
}
