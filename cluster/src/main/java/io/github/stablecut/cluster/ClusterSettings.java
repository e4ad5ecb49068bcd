package io.github.stablecut.cluster;

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
 * How a node joins a cluster. Immutable.
 *
 * @param node its name, which stays with its directory: 1 to 63 letters, digits, dots, hyphens and
 *     underscores
 * @param endpoint where it listens for the other nodes, which have to reach it under this name; for
 *     TLS every node's certificate is of the client authority
 * @param seeds nodes that are asked to be let in, as {@code host:port} and as they call themselves,
 *     this one among them or not; all nodes name the same ones, in any order, and the one that
 *     sorts first begins a cluster if no other answers
 * @param formWith a new cluster is made, and its partitions spread, once all seeds and at least so
 *     many nodes are there; 0 for no more than the seeds; nodes that say different numbers refuse
 *     each other
 * @param listenPort where it listens, if others reach it under another port; 0 for the same
 * @param moveBytesPerSecond so much is copied at most when a partition is moved to the node
 * @param maxClockDrift nodes whose clocks are further apart refuse each other; 1 s to a day, and
 *     the same for all nodes
 * @param trafficBytes how much memory messages to and from other nodes may take together, at most
 *     an eighth of the heap
 * @param replicas how many of each partition a new cluster gets, on so many nodes: 1, 3 or 5; a
 *     cluster that is there must have as many; 0 for one, or what the cluster has
 * @param secret the file that all nodes have a copy of, made if it is not there; empty for the
 *     user's, {@code ~/.stablecut/cluster.secret}
 * @param zone what the node fails together with, such as a rack, by the letters of names of nodes:
 *     copies of a partition are in several zones; empty for nothing
 * @param linkPort where it accepts direct connections for reads, which other nodes make if they can
 *     reach that port; 0 for any that is free
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
    int linkPort) {
  /** {@code maxClockDrift} unless something else is said. */
  public static final Duration DEFAULT_CLOCK_DRIFT = NodeSettings.DEFAULT_CLOCK_DRIFT;

  /** {@code trafficBytes} unless something else is said. */
  public static final long DEFAULT_TRAFFIC_BYTES = NodeSettings.DEFAULT_TRAFFIC_BYTES;

  private static final Pattern ADDRESS =
      Pattern.compile("[^\\s:]+:[0-9]{1,5}|\\[[^]]+]:[0-9]{1,5}");

  /**
   * With the user's secret, the default clock drift and memory, copies as the cluster has, and in
   * no zone.
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
        0);
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
            "a seed is named as host:port, not \"" + seed + "\": say where it listens for nodes");
      }
    }
    if (seeds.isEmpty()) {
      throw new SettingsException(
          "no seeds are said: name one node at least, this one if it begins the cluster");
    }
    if (formWith < 0 || formWith > 1_000) {
      throw new SettingsException("cluster.form-with is 0 to 1,000, not " + formWith);
    }
    if (listenPort < 0 || listenPort > 65_535) {
      throw new SettingsException("cluster.listen-port is 0 to 65,535, not " + listenPort);
    }
    if (linkPort < 0 || linkPort > 65_535) {
      throw new SettingsException("cluster.link-port is 0 to 65,535, not " + linkPort);
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
          "cluster.replicas is 1, 3 or 5, or 0 for what the cluster has, not %d: a majority of them decides"
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
          "a node's port for others is 1 to 65,535, not 0: they have to know it");
    }
  }
}
