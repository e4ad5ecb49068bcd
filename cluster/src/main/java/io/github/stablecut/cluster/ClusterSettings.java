package io.github.stablecut.cluster;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.internal.recovery.NodePlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A node's settings for joining a cluster. Immutable.
 *
 * @param node the node's name, which stays with its directory: 1 to 63 letters, digits, dots,
 *     hyphens and underscores
 * @param endpoint where the node listens for other nodes, which reach it by this address; with TLS,
 *     the client authority has issued every node's certificate
 * @param seeds the nodes that a new node contacts to join, as {@code host:port} and as they name
 *     themselves; this node may be one of them. All nodes name the same seeds, in any order. The
 *     seed that sorts first begins a cluster if no other answers
 * @param formWith the number of nodes, including all seeds, at which a new cluster forms and its
 *     partitions are spread; 0 for the seeds alone. Nodes with different numbers refuse each other
 * @param listenPort where the node listens, if others reach it by another port; 0 for the same port
 * @param moveBytesPerSecond the maximum rate of copying when a partition is moved to the node
 * @param maxClockDrift nodes whose clocks differ by more refuse each other; 1 s to a day, the same
 *     for all nodes
 * @param trafficBytes the maximum memory of all messages to and from other nodes; capped at an
 *     eighth of the heap
 * @param replicas the number of replicas of each partition in a new cluster, each on another node:
 *     1, 3 or 5. An existing cluster must have the same number. 0 means one in a new cluster, and
 *     accepts the number of an existing one
 * @param secret the file of which every node has a copy, created if missing; empty for the user's,
 *     {@code ~/.stablecut/cluster.secret}
 * @param zone a name for what the node fails together with, such as a rack, with the characters of
 *     node names: the replicas of a partition are in several zones; empty for no zone
 * @param dataPort where the node accepts the requests and replica messages of other nodes; 0 for
 *     any free port, which it announces to them
 * @param dataListenPort where the node listens for these, if others reach it by another port; 0 for
 *     the same port
 */
public record ClusterSettings(
    String node,
    Endpoint endpoint,
    List<String> seeds,
    int formWith,
    int listenPort,
    long moveBytesPerSecond,
    Duration maxClockDrift,
    long trafficBytes,
    int replicas,
    Optional<Path> secret,
    String zone,
    int dataPort,
    int dataListenPort) {
  /** The default of {@code maxClockDrift}. */
  public static final Duration DEFAULT_CLOCK_DRIFT = NodeSettings.DEFAULT_CLOCK_DRIFT;

  /** The default of {@code trafficBytes}. */
  public static final long DEFAULT_TRAFFIC_BYTES = NodeSettings.DEFAULT_TRAFFIC_BYTES;

  private static final Pattern ADDRESS =
      Pattern.compile("[^\\s:]+:[0-9]{1,5}|\\[[^]]+]:[0-9]{1,5}");

  /**
   * Settings with the user's secret, the default clock drift and memory, the cluster's number of
   * replicas, and no zone.
   */
  public ClusterSettings(
      String node,
      Endpoint endpoint,
      List<String> seeds,
      int formWith,
      int listenPort,
      long moveBytesPerSecond) {
    this(
        node,
        endpoint,
        seeds,
        formWith,
        listenPort,
        moveBytesPerSecond,
        DEFAULT_CLOCK_DRIFT,
        DEFAULT_TRAFFIC_BYTES,
        0,
        Optional.empty(),
        "",
        0,
        0);
  }

  /**
   * Starts the settings of a node with the user's secret, the default limits, the cluster's number
   * of replicas, and no zone.
   */
  public static Builder builder(String node, Endpoint endpoint, List<String> seeds) {
    return new Builder(node, endpoint, seeds);
  }

  /** Checks names and numbers. */
  public ClusterSettings {
    Objects.requireNonNull(endpoint, "endpoint");
    Objects.requireNonNull(secret, "secret");
    seeds = List.copyOf(seeds);
    if (!NodePlan.NAME.matcher(node).matches()) {
      throw new SettingsException(
          "a node's name is 1 to 63 letters, digits, dots, hyphens and underscores, not \"%s\": give --node NAME, or cluster.node"
              .formatted(node));
    }
    for (String seed : seeds) {
      if (!ADDRESS.matcher(seed).matches()) {
        throw new SettingsException(
            "a seed is host:port, not \""
                + seed
                + "\": give the address where it listens for nodes");
      }
    }
    if (seeds.isEmpty()) {
      throw new SettingsException(
          "no seeds are given: name at least one node (this one if it begins the cluster)");
    }
    if (formWith < 0 || formWith > 1_000) {
      throw new SettingsException("cluster.form-with is 0 to 1,000, not " + formWith);
    }
    if (listenPort < 0 || listenPort > 65_535) {
      throw new SettingsException("cluster.listen-port is 0 to 65,535, not " + listenPort);
    }
    if (dataPort < 0 || dataPort > 65_535) {
      throw new SettingsException(
          "cluster.data-port is 0 to 65,535, not %d: it is cluster.port plus 1,000 unless set"
              .formatted(dataPort));
    }
    if (dataListenPort < 0 || dataListenPort > 65_535) {
      throw new SettingsException("cluster.data-listen-port is 0 to 65,535, not " + dataListenPort);
    }
    if (dataListenPort != 0 && dataPort == 0) {
      throw new SettingsException(
          "cluster.data-listen-port is set, but not the port by which other nodes reach it: set cluster.data-port, too");
    }
    if (moveBytesPerSecond < 1) {
      throw new SettingsException(
          "cluster.move-bytes-per-second is at least 1, not " + moveBytesPerSecond);
    }
    if (maxClockDrift.compareTo(Duration.ofSeconds(1)) < 0
        || maxClockDrift.compareTo(Duration.ofDays(1)) > 0) {
      throw new SettingsException(
          "cluster.max-clock-drift is 1 s to 1 d, not " + DurationWords.of(maxClockDrift));
    }
    if (replicas != 0 && !NodePlan.isReplicaCount(replicas)) {
      throw new SettingsException(
          "cluster.replicas is 1, 3 or 5, or 0 for the cluster's own number, not %d"
              .formatted(replicas));
    }
    if (!zone.isEmpty() && !NodePlan.NAME.matcher(zone).matches()) {
      throw new SettingsException(
          "a zone's name is 1 to 63 letters, digits, dots, hyphens and underscores, not \"%s\": give --zone NAME, or cluster.zone"
              .formatted(zone));
    }
    if (trafficBytes < 1) {
      throw new SettingsException("cluster.traffic-memory is at least 1, not " + trafficBytes);
    }
    if (endpoint.port() == 0) {
      throw new SettingsException(
          "a node's port is 1 to 65,535, not 0: other nodes have to know it");
    }
  }

  /**
   * Builds {@link ClusterSettings}. Its methods set the components of the same names. Not
   * thread-safe.
   */
  public static final class Builder {
    private final String node;
    private final Endpoint endpoint;
    private final List<String> seeds;
    private int formWith;
    private int listenPort;
    private long moveBytesPerSecond = NodeSettings.MoveLimits.DEFAULT.bytesPerSecond();
    private Duration maxClockDrift = DEFAULT_CLOCK_DRIFT;
    private long trafficBytes = DEFAULT_TRAFFIC_BYTES;
    private int replicas;
    private Optional<Path> secret = Optional.empty();
    private String zone = "";
    private int dataPort;
    private int dataListenPort;

    private Builder(String node, Endpoint endpoint, List<String> seeds) {
      this.node = node;
      this.endpoint = endpoint;
      this.seeds = seeds;
    }

    @CanIgnoreReturnValue
    public Builder formWith(int formWith) {
      this.formWith = formWith;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder listenPort(int listenPort) {
      this.listenPort = listenPort;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder moveBytesPerSecond(long moveBytesPerSecond) {
      this.moveBytesPerSecond = moveBytesPerSecond;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder maxClockDrift(Duration maxClockDrift) {
      this.maxClockDrift = maxClockDrift;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder trafficBytes(long trafficBytes) {
      this.trafficBytes = trafficBytes;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder replicas(int replicas) {
      this.replicas = replicas;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder secret(Optional<Path> secret) {
      this.secret = secret;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder zone(String zone) {
      this.zone = zone;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder dataPort(int dataPort) {
      this.dataPort = dataPort;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder dataListenPort(int dataListenPort) {
      this.dataListenPort = dataListenPort;
      return this;
    }

    public ClusterSettings build() {
      return new ClusterSettings(
          node,
          endpoint,
          seeds,
          formWith,
          listenPort,
          moveBytesPerSecond,
          maxClockDrift,
          trafficBytes,
          replicas,
          secret,
          zone,
          dataPort,
          dataListenPort);
    }
  }
}
