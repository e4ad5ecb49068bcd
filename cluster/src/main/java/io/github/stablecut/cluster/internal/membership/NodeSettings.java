package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
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
 * @param moving how partitions are moved
 * @param maxClockDrift a node whose clock is further ahead of this machine's is not believed
 * @param isObserver whether the node never has partitions, and counts for nothing
 * @param trafficBytes how much memory messages from and to other nodes take at most
 * @param clients where a server in the process listens for clients, as {@code host:port}, for the
 *     other nodes to say; empty if there is none
 */
public record NodeSettings(
    String name,
    Path data,
    StoreOptions store,
    Endpoint endpoint,
    Forming forming,
    Moving moving,
    Duration maxClockDrift,
    boolean isObserver,
    long trafficBytes,
    String clients) {
  /** How far clocks may be apart unless something else is said. */
  public static final Duration DEFAULT_CLOCK_DRIFT = Duration.ofSeconds(60);

  /** How much memory messages may take unless something else is said. */
  public static final long DEFAULT_TRAFFIC_BYTES = 256 << 20;

  /** A node without clients. */
  public NodeSettings(
      String name,
      Path data,
      StoreOptions store,
      Endpoint endpoint,
      Forming forming,
      Moving moving,
      Duration maxClockDrift,
      boolean isObserver,
      long trafficBytes) {
    this(name, data, store, endpoint, forming, moving, maxClockDrift, isObserver, trafficBytes, "");
  }

  /** A node that has partitions, without clients. */
  public NodeSettings(
      String name,
      Path data,
      StoreOptions store,
      Endpoint endpoint,
      Forming forming,
      Moving moving) {
    this(
        name,
        data,
        store,
        endpoint,
        forming,
        moving,
        DEFAULT_CLOCK_DRIFT,
        false,
        DEFAULT_TRAFFIC_BYTES);
  }

  /**
   * Where a node listens for others.
   *
   * @param host an address of this machine that the others reach
   * @param port under which the others reach it
   * @param listenPort where it listens
   * @param tls by what nodes know each other; empty for the secret
   * @param secret the file of the cluster's secret
   * @param linkPort where it accepts direct connections of other nodes; 0 for any port
   */
  public record Endpoint(
      String host, int port, int listenPort, Optional<Tls> tls, Path secret, int linkPort) {
    /** An endpoint that accepts direct connections at any port. */
    public Endpoint(String host, int port, int listenPort, Optional<Tls> tls, Path secret) {
      this(host, port, listenPort, tls, secret, 0);
    }

    /** An endpoint that is reached where it listens, with the user's secret. */
    public Endpoint(String host, int port, Optional<Tls> tls) {
      this(host, port, port, tls);
    }

    /** An endpoint with the user's secret. */
    public Endpoint(String host, int port, int listenPort, Optional<Tls> tls) {
      this(host, port, listenPort, tls, ClusterSecret.userFile());
    }

    public String address() {
      return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
  }

  /**
   * How partitions are moved.
   *
   * @param bytesPerSecond so much is copied at most while the old owner serves
   * @param silence after so long without a word from the new owner the old one goes on
   */
  public record Moving(long bytesPerSecond, Duration silence) {
    /** Fast enough for a disk, and slow enough for those who use it. */
    public static final Moving DEFAULT = new Moving(64 << 20, Duration.ofSeconds(10));
  }

  /** PEM files; every node's certificate is of the authority. */
  public record Tls(Path certificate, Path key, Path authority) {}

  /**
   * How a cluster is found, or made.
   *
   * @param seeds nodes that are asked, as {@code host:port}, by the text of their own {@link
   *     Endpoint#address}, in any order; the one that sorts first begins a cluster if no other
   *     answers
   * @param nodes a new cluster is made once all seeds are there, and so many nodes; 0 for no more
   *     than the seeds
   * @param replicas how many of each partition a new cluster gets, and an old one must have; 0 for
   *     one, or what it has
   * @param zone what the node fails together with; empty for nothing
   */
  public record Forming(List<String> seeds, int nodes, int replicas, String zone) {
    /** With one copy of each partition, or what the cluster has. */
    public Forming(List<String> seeds, int nodes) {
      this(seeds, nodes, 0);
    }

    /** In no zone. */
    public Forming(List<String> seeds, int nodes, int replicas) {
      this(seeds, nodes, replicas, "");
    }

    /** Copies the list. */
    public Forming {
      seeds = List.copyOf(seeds);
    }
  }
}
