package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.cluster.PartitionMove.State;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A cluster as one of its nodes told it. Immutable.
 *
 * @param node the name of the one that was asked
 * @param nodes those that can be reached
 * @param leaving those of them that are about to leave
 * @param places by partition
 * @param zones the nodes that have said a zone, by that
 * @param replicasNotSpread how many partitions have copies in fewer zones than they could be in
 * @param replicationFactor how many copies each partition is to have; 0 if the partitions exist
 *     once
 * @param replicasUpToDate how many copies on all nodes lead, or lack nothing
 * @param keepsRegister whether the node that was asked is to keep a part of the register of layouts
 * @param register who keeps that register, as JSON; missing if there is none
 * @param replicas of the node that was asked
 */
record ClusterView(
    String node,
    List<String> nodes,
    List<String> leaving,
    List<Place> places,
    Map<String, List<String>> zones,
    int replicasNotSpread,
    int replicationFactor,
    int replicasUpToDate,
    boolean keepsRegister,
    JsonNode register,
    List<ReplicaState> replicas) {
  /**
   * A copy of a partition on the node that was asked.
   *
   * @param followers what it knows of others, if it leads, as text
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

  /** Where a partition is. */
  record Place(
      int partition,
      String node,
      String address,
      long epoch,
      boolean isReachable,
      boolean isServing,
      long lagMillis,
      List<Move> moves) {
    /** How far a move is, by its number. */
    Optional<Move> move(String number) {
      return moves.stream().filter(move -> move.number.equals(number)).findFirst();
    }

    /** The move that is under way. */
    Optional<Move> current() {
      return moves.stream().filter(move -> !move.isOver()).findFirst();
    }
  }

  /**
   * A move of a partition.
   *
   * @param number that no other has
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

  /** Asks. */
  static ClusterView ask(AdminPort port) throws IOException, InterruptedException {
    return of(port.ask(), port.url());
  }

  /**
   * A cluster as a node's status tells it.
   *
   * @throws IOException if the node is in no cluster
   */
  static ClusterView of(JsonNode report, URI url) throws IOException {
    JsonNode partitions = report.path("partitions");
    if (partitions.isEmpty()) {
      throw new IOException("the store at " + url + " is in no cluster");
    }
    List<String> nodes = new ArrayList<>();
    report.path("nodes").forEach(name -> nodes.add(name.asText()));
    List<String> leaving = new ArrayList<>();
    report.path("leaving").forEach(name -> leaving.add(name.asText()));
    List<Place> places = new ArrayList<>();
    partitions.forEach(place -> places.add(place(place)));
    List<ReplicaState> replicas = new ArrayList<>();
    report.path("replicas").forEach(replica -> replicas.add(replica(replica)));
    return new ClusterView(
        report.path("node").asText(),
        nodes,
        leaving,
        places,
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

  /** The nodes that have said no zone. */
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
      String how =
          one.path("silent").asBoolean() ? "is silent" : one.path("behind").asLong() + " behind";
      String room = one.path("full").asBoolean() ? ", disk full" : "";
      followers.add(
          one.path("replica").asText()
              + " "
              + (one.path("voter").asBoolean() ? how : "learns, " + how)
              + room);
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

  private static Place place(JsonNode place) {
    List<Move> moves = new ArrayList<>();
    for (JsonNode move : place.path("moves")) {
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
    return new Place(
        place.path("partition").asInt(),
        place.path("node").asText(),
        place.path("address").asText(),
        place.path("epoch").asLong(),
        place.path("reachable").asBoolean(),
        place.path("serving").asBoolean(),
        place.path("lagMillis").asLong(),
        moves);
  }

  /** Whether all partitions are served, as far as the node knows. */
  boolean isWhole() {
    return places.stream().allMatch(Place::isServing);
  }

  /** How many copies there are to be. */
  int replicasWanted() {
    return replicationFactor * places.size();
  }

  /**
   * Whether all partitions are served, all copies of them are there and lack nothing, and all nodes
   * that are to keep the register do so.
   */
  boolean isComplete() {
    return isWhole()
        && replicasUpToDate == replicasWanted()
        && (!isReplicated() || register.path("complete").asBoolean());
  }

  /** Whether partitions have copies, on which their nodes agree. */
  boolean isReplicated() {
    return replicationFactor > 0;
  }

  /** Whether a node is there to stay. */
  boolean isStaying(String name) {
    return nodes.contains(name) && !leaving.contains(name);
  }

  /** How many partitions each node has, those that can be reached and have none too. */
  Map<String, Integer> counts() {
    Map<String, Integer> counts = new TreeMap<>();
    nodes.forEach(name -> counts.put(name, 0));
    places.forEach(place -> counts.merge(place.node, 1, Integer::sum));
    return counts;
  }
}
