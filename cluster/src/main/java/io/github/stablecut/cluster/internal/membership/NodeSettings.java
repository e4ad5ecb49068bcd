package io.github.stablecut.cluster.internal.membership;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The settings of a cluster node. Immutable.
 *
 * @param name the node's name
 * @param data the node's directory
 * @param store the options for opening partitions
 * @param endpoint the address and keys for other nodes
 * @param forming how the node finds or forms a cluster
 * @param moving the limits of moves of partitions
 * @param maxClockDrift how far another node's clock may be ahead of this machine's
 * @param isObserver whether the node is an observer, which never has partitions
 * @param trafficBytes the most memory for messages from and to other nodes
 * @param clients the address for clients of a server in this process, as {@code host:port}, which
 *     other nodes pass on to their clients; empty if there is none
 */
public record NodeSettings(
    String name,
    Path data,
    StoreOptions store,
    Endpoint endpoint,
    Formation forming,
    MoveLimits moving,
    Duration maxClockDrift,
    boolean isObserver,
    long trafficBytes,
    String clients) {
  /** The default of {@link #maxClockDrift}. */
  public static final Duration DEFAULT_CLOCK_DRIFT = Duration.ofSeconds(60);

  /** The default of {@link #trafficBytes}. */
  public static final long DEFAULT_TRAFFIC_BYTES = 256 << 20;

  /**
   * Starts the settings of a node with partitions, the default limits, and no address for clients.
   */
  public static Builder builder(
      String name, Path data, StoreOptions store, Endpoint endpoint, Formation forming) {
    return new Builder(name, data, store, endpoint, forming);
  }

  /** Settings of a node with partitions, the default limits, and no address for clients. */
  public NodeSettings(
      String name,
      Path data,
      StoreOptions store,
      Endpoint endpoint,
      Formation forming,
      MoveLimits moving) {
    this(
        name,
        data,
        store,
        endpoint,
        forming,
        moving,
        DEFAULT_CLOCK_DRIFT,
        false,
        DEFAULT_TRAFFIC_BYTES,
        "");
  }

  /**
   * A node's address and keys for other nodes.
   *
   * @param host an address of this machine that the other nodes reach
   * @param port the port at which the other nodes reach it
   * @param listenPort the port that it binds
   * @param tls the certificates that authenticate nodes; empty to use the secret
   * @param secret the file with the cluster's secret
   * @param dataPort the port at which other nodes reach it with requests and replica messages; 0
   *     for the port that it binds for these
   * @param dataListenPort the port that it binds for these; 0 for any port
   */
  public record Endpoint(
      String host,
      int port,
      int listenPort,
      Optional<Tls> tls,
      Path secret,
      int dataPort,
      int dataListenPort) {
    /** An endpoint with any data port. */
    public Endpoint(String host, int port, int listenPort, Optional<Tls> tls, Path secret) {
      this(host, port, listenPort, tls, secret, 0, 0);
    }

    /** An endpoint that others reach at the port that it binds, with the user's secret. */
    public Endpoint(String host, int port, Optional<Tls> tls) {
      this(host, port, port, tls);
    }

    /** An endpoint with the user's secret. */
    public Endpoint(String host, int port, int listenPort, Optional<Tls> tls) {
      this(host, port, listenPort, tls, ClusterSecret.userFile());
    }

    /** The address, as {@code host:port}. */
    public String address() {
      return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
  }

  /**
   * The limits of moves of partitions.
   *
   * @param bytesPerSecond the highest copy rate while the sender still serves
   * @param silence how long the sender waits for the receiver before it resumes serving
   */
  public record MoveLimits(long bytesPerSecond, Duration silence) {
    /** 64 MB/s, which leaves room on a disk for its clients, and 10 seconds. */
    public static final MoveLimits DEFAULT = new MoveLimits(64 << 20, Duration.ofSeconds(10));
  }

  /** PEM files; the authority signs every node's certificate. */
  public record Tls(Path certificate, Path key, Path authority) {}

  /**
   * The settings by which a node finds or forms a cluster.
   *
   * @param seeds the nodes to contact, in any order, each by the exact text of its {@link
   *     Endpoint#address}; the first in sort order starts a cluster if no other answers
   * @param nodes the number of nodes, including all seeds, that form a new cluster; 0 for just the
   *     seeds
   * @param replicas the replicas of each partition that a new cluster gets and an existing one must
   *     have; 0 for one, or for the existing number
   * @param zone the failure zone of the node; empty for none
   */
  public record Formation(List<String> seeds, int nodes, int replicas, String zone) {
    /** With one replica of each partition in a new cluster, in no zone. */
    public Formation(List<String> seeds, int nodes) {
      this(seeds, nodes, 0);
    }

    /** Creates settings without a zone. */
    public Formation(List<String> seeds, int nodes, int replicas) {
      this(seeds, nodes, replicas, "");
    }

    /** Copies the list. */
    public Formation {
      seeds = List.copyOf(seeds);
    }
  }

  /**
   * Builds {@link NodeSettings}. Its methods set the components of the same names. Not thread-safe.
   */
  public static final class Builder {
    private final String name;
    private final Path data;
    private final StoreOptions store;
    private final Endpoint endpoint;
    private final Formation forming;
    private MoveLimits moving = MoveLimits.DEFAULT;
    private Duration maxClockDrift = DEFAULT_CLOCK_DRIFT;
    private boolean isObserver;
    private long trafficBytes = DEFAULT_TRAFFIC_BYTES;
    private String clients = "";

    private Builder(
        String name, Path data, StoreOptions store, Endpoint endpoint, Formation forming) {
      this.name = name;
      this.data = data;
      this.store = store;
      this.endpoint = endpoint;
      this.forming = forming;
    }

    @CanIgnoreReturnValue
    public Builder moving(MoveLimits moving) {
      this.moving = moving;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder maxClockDrift(Duration maxClockDrift) {
      this.maxClockDrift = maxClockDrift;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder isObserver(boolean isObserver) {
      this.isObserver = isObserver;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder trafficBytes(long trafficBytes) {
      this.trafficBytes = trafficBytes;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder clients(String clients) {
      this.clients = clients;
      return this;
    }

    public NodeSettings build() {
      return new NodeSettings(
          name,
          data,
          store,
          endpoint,
          forming,
          moving,
          maxClockDrift,
          isObserver,
          trafficBytes,
          clients);
    }
  }
}
