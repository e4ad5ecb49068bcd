package io.github.stablecut.console;

import io.github.stablecut.Latencies;
import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a console shows: a store, and where its partitions are. Thread-safe. */
public interface ConsoleSource {
  /** The store, which may be another one later. */
  Store store();

  /** The store's figures. */
  default StoreStatus status() {
    return store().status();
  }

  /** What the page is headed with: the name of the node, or the directory of the store. */
  String name();

  /** The nodes of the cluster; empty if the store is in no cluster. */
  List<Node> nodes();

  /** The partitions of the cluster by number; empty if the store is in no cluster. */
  List<Place> places();

  /** How long requests of clients took since the start, by their kind; empty without clients. */
  Map<String, Latencies> requests();

  /** What is wrong, beside what the store's status says. */
  List<String> warnings();

  /**
   * A node of a cluster.
   *
   * @param state such as {@code here}, {@code reachable}, {@code leaving} or {@code away}
   */
  record Node(String name, State state) {}

  /** Whether a node is there. */
  enum State {
    /** It is this one. */
    HERE,
    /** It answers. */
    REACHABLE,
    /** It answers, and is about to leave. */
    LEAVING,
    /** It does not answer. */
    AWAY
  }

  /**
   * Where a partition is.
   *
   * @param node the name of its owner; empty if it is not known
   * @param isServing whether the owner answers
   * @param lagMillis how long ago the owner was heard of
   * @param move a move that goes on
   */
  record Place(
      int partition, String node, boolean isServing, long lagMillis, Optional<Move> move) {}

  /**
   * A move of a partition.
   *
   * @param to the name of the node that gets it
   * @param percent how much of it is there
   */
  record Move(String to, int percent) {}
}
