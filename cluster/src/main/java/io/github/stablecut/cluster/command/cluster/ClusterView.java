package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.cluster.PartitionMove.State;
import io.github.stablecut.cluster.command.AdminPort;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A cluster as one of its nodes reports it. Immutable.
 *
 * @param degraded what the cluster lacks; empty if nothing
 * @param node the name of the reporting node
 * @param nodes the names of the reachable nodes
 * @param leaving those of them that are about to leave
 * @param partitions the locations of the partitions, by number
 * @param zones the nodes of each zone
 * @param replicasNotSpread how many partitions have replicas in fewer zones than possible
 * @param replicationFactor the configured number of replicas of each partition; 0 if each exists
 *     once
 * @param replicasUpToDate how many replicas on all nodes lead or are up to date
 * @param keepsRegister whether the reporting node is a planned member of the configuration register
 * @param register the members of that register, as JSON; missing if there is none
 * @param replicas the replicas of the reporting node
 */
public record ClusterView(
    String degraded,
    String node,
    List<String> nodes,
    List<String> leaving,
    List<Location> partitions,
    Map<String, List<String>> zones,
    int replicasNotSpread,
    int replicationFactor,
    int replicasUpToDate,
    boolean keepsRegister,
    JsonNode register,
    List<ReplicaState> replicas) {
  /**
   * A replica on the reporting node.
   *
   * @param followers the state of the followers as text, if the replica leads
   */
  record ReplicaState(
      int partition,
      String replica,
      String role,
      long epoch,
      List<String> voters,
      long records,
      long committed,
      boolean isUnderReplicated,
      boolean isFull,
      boolean isShortened,
      String followers,
      String failure) {
    boolean isLeading() {
      return role.equals("LEADS");
    }
  }

  /** The owner and the state of a partition. */
  record Location(
      int partition,
      String node,
      String address,
      long epoch,
      boolean isReachable,
      boolean isServing,
      long lagMillis,
      List<Move> moves) {
    /** The move with a number. */
    Optional<Move> move(String number) {
      return moves.stream().filter(move -> move.number.equals(number)).findFirst();
    }

    /** The move in progress. */
    Optional<Move> current() {
      return moves.stream().filter(move -> !move.isOver()).findFirst();
    }
  }

  /**
   * A move of a partition.
   *
   * @param number identifies the move
   */
  record Move(
      String number,
      String to,
      State state,
      long copied,
      long total,
      long pauseMillis,
      String problem) {
    boolean isOver() {
      return state == State.DONE || state == State.FAILED;
    }
  }

  /** Asks a node. */
  public static ClusterView ask(AdminPort port) throws IOException, InterruptedException {
    return of(port.ask(), port.url());
  }

  /**
   * Parses a node's status.
   *
   * @throws IOException if the server is not a cluster node
   */
  static ClusterView of(JsonNode report, URI url) throws IOException {
    JsonNode partitions = report.path("partitions");
    if (partitions.isEmpty()) {
      throw new IOException("the server at " + url + " is not a cluster node");
    }
    List<String> nodes = new ArrayList<>();
    report.path("nodes").forEach(name -> nodes.add(name.asText()));
    List<String> leaving = new ArrayList<>();
    report.path("leaving").forEach(name -> leaving.add(name.asText()));
    List<Location> locations = new ArrayList<>();
    partitions.forEach(location -> locations.add(location(location)));
    List<ReplicaState> replicas = new ArrayList<>();
    report.path("replicas").forEach(replica -> replicas.add(replica(replica)));
    return new ClusterView(
        report.path("degraded").asText(),
        report.path("node").asText(),
        nodes,
        leaving,
        locations,
        zones(report.path("zones")),
        report.path("replicasNotSpread").asInt(),
        report.path("replicationFactor").asInt(),
        report.path("replicasUpToDate").asInt(),
        report.path("keepsRegister").asBoolean(),
        report.path("register"),
        replicas);
  }

  private static Map<String, List<String>> zones(JsonNode byNode) {
    Map<String, List<String>> zones = new TreeMap<>();
    byNode
        .properties()
        .forEach(
            one ->
                zones
                    .computeIfAbsent(one.getValue().asText(), zone -> new ArrayList<>())
                    .add(one.getKey()));
    return zones;
  }

  /** The reachable nodes without a zone. */
  List<String> nodesWithoutZone() {
    return nodes.stream()
        .filter(one -> zones.values().stream().noneMatch(in -> in.contains(one)))
        .toList();
  }

  private static ReplicaState replica(JsonNode replica) {
    List<String> voters = new ArrayList<>();
    replica.path("voters").forEach(voter -> voters.add(voter.asText()));
    List<String> followers = new ArrayList<>();
    for (JsonNode one : replica.path("followers")) {
      String progress =
          one.path("silent").asBoolean() ? "is silent" : one.path("behind").asLong() + " behind";
      String disk = one.path("full").asBoolean() ? ", disk full" : "";
      followers.add(
          one.path("replica").asText()
              + " "
              + (one.path("voter").asBoolean() ? progress : "learner, " + progress)
              + disk);
    }
    return new ReplicaState(
        replica.path("partition").asInt(),
        replica.path("replica").asText(),
        replica.path("role").asText(),
        replica.path("epoch").asLong(),
        voters,
        replica.path("records").asLong(),
        replica.path("committed").asLong(),
        replica.path("underReplicated").asBoolean(),
        replica.path("full").asBoolean(),
        replica.path("shortened").asBoolean(),
        String.join("; ", followers),
        replica.path("failure").asText());
  }

  private static Location location(JsonNode location) {
    List<Move> moves = new ArrayList<>();
    for (JsonNode move : location.path("moves")) {
      moves.add(
          new Move(
              move.path("move").asText(),
              move.path("to").asText(),
              State.valueOf(move.path("state").asText()),
              move.path("copiedBytes").asLong(),
              move.path("totalBytes").asLong(),
              move.path("pauseMillis").asLong(),
              move.path("problem").asText()));
    }
    return new Location(
        location.path("partition").asInt(),
        location.path("node").asText(),
        location.path("address").asText(),
        location.path("epoch").asLong(),
        location.path("reachable").asBoolean(),
        location.path("serving").asBoolean(),
        location.path("lagMillis").asLong(),
        moves);
  }

  /** Whether all partitions are served, as far as the node knows. */
  boolean isWhole() {
    return partitions.stream().allMatch(Location::isServing);
  }

  /** The configured number of replicas of all partitions. */
  int replicasWanted() {
    return replicationFactor * partitions.size();
  }

  /**
   * Whether all partitions are served, all their replicas are up to date, and the configuration
   * register is complete.
   */
  boolean isComplete() {
    return isWhole()
        && replicasUpToDate == replicasWanted()
        && (!isReplicated() || register.path("complete").asBoolean());
  }

  /** Whether partitions have replicas; otherwise each exists once. */
  boolean isReplicated() {
    return replicationFactor > 0;
  }

  /** Whether a node is reachable and is not leaving. */
  boolean isStaying(String name) {
    return nodes.contains(name) && !leaving.contains(name);
  }

  /** The number of partitions of each node, including reachable nodes without any. */
  public Map<String, Integer> counts() {
    Map<String, Integer> counts = new TreeMap<>();
    nodes.forEach(name -> counts.put(name, 0));
    partitions.forEach(location -> counts.merge(location.node, 1, Integer::sum));
    return counts;
  }
}
