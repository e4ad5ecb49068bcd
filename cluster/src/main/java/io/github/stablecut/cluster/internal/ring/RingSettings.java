package io.github.stablecut.cluster.internal.ring;

import io.github.stablecut.StoreOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How a node joins a cluster. Immutable.
 *
 * @param name the node's
 * @param data the node's directory
 * @param store how partitions are opened
 * @param endpoint where the node listens for the others
 * @param forming how a cluster is found, or made
 */
public record RingSettings(
    String name, Path data, StoreOptions store, Endpoint endpoint, Forming forming) {
  /**
   * Where a node listens for others.
   *
   * @param host an address of this machine that the others reach
   * @param tls how the connections are secured; empty for not at all
   */
  public record Endpoint(String host, int port, Optional<Tls> tls) {
    String address() {
      return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
  }

  /** PEM files; every node's certificate is of the authority. */
  public record Tls(Path certificate, Path key, Path authority) {}

  /**
   * How a cluster is found, or made.
   *
   * @param seeds nodes that are asked, as {@code host:port}; the first begins a cluster if no other
   *     answers
   * @param nodes a new cluster is made once so many nodes are there
   */
  public record Forming(List<String> seeds, int nodes) {
    /** Copies the list. */
    public Forming {
      seeds = List.copyOf(seeds);
    }
  }
}
