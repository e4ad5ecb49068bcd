package io.github.stablecut.internal.recovery;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Assigns replicas of partitions to nodes when their number or the set of nodes changes.
 * Deterministic: each node of a cluster computes the same. Confined to one thread.
 *
 * <p>Surplus replicas are removed from zones with several replicas of the partition, and from the
 * most loaded nodes. Missing ones are added in zones without one, and on the least loaded nodes.
 * Replicas are moved only if their number stays. First they leave zones with several of a partition
 * while another zone has none. Then they move until no node has two more than another that could
 * take one.
 */
final class ReplicaSpread {
  private final Map<String, Integer> load = new LinkedHashMap<>();
  private final List<List<String>> spread = new ArrayList<>();
  private final Zones zones;

  private ReplicaSpread(List<List<String>> replicas, List<String> nodes, Zones zones) {
    this.zones = zones;
    nodes.forEach(node -> load.put(node, 0));
    for (List<String> one : replicas) {
      spread.add(new ArrayList<>(one.stream().filter(nodes::contains).toList()));
    }
    spread.forEach(one -> one.forEach(node -> load.merge(node, 1, Integer::sum)));
  }

  /**
   * The nodes with replicas, by partition, for a given number of replicas.
   *
   * @param replicas the current nodes, by partition
   * @param nodes the eligible nodes; at least as many as replicas
   */
  static List<List<String>> over(
      List<List<String>> replicas, List<String> nodes, int number, Zones zones) {
    ReplicaSpread changed = new ReplicaSpread(replicas, nodes, zones);
    for (List<String> one : changed.spread) {
      while (one.size() > number) {
        changed.takeFrom(one);
      }
      while (one.size() < number) {
        changed.addTo(one);
      }
    }
    if (replicas.stream().allMatch(one -> one.size() == number)) {
      changed.spread.forEach(changed::spreadOverZones);
      changed.balance();
    }
    return changed.spread;
  }

  /** Moves only the replicas needed to spread each partition over the most zones. */
  static List<List<String>> overZones(
      List<List<String>> replicas, List<String> nodes, Zones zones) {
    ReplicaSpread changed = new ReplicaSpread(replicas, nodes, zones);
    changed.spread.forEach(changed::spreadOverZones);
    return changed.spread;
  }

  /** Removes a replica; the first stays, because it is the preferred leader. */
  private void takeFrom(List<String> replicas) {
    String most =
        replicas.stream()
            .skip(1)
            .max(
                Comparator.<String>comparingInt(node -> zones.count(replicas, node))
                    .thenComparingInt(this::loadOf)
                    .thenComparingInt(replicas::indexOf))
            .orElseThrow();
    replicas.remove(most);
    load.merge(most, -1, Integer::sum);
  }

  private void addTo(List<String> replicas) {
    String fewest = next(replicas);
    replicas.add(fewest);
    load.merge(fewest, 1, Integer::sum);
  }

  /** The node to get the next replica. */
  private String next(List<String> replicas) {
    return load.keySet().stream()
        .filter(node -> !replicas.contains(node))
        .min(
            Comparator.<String>comparingInt(node -> zones.count(replicas, node))
                .thenComparingInt(this::loadOf))
        .orElseThrow();
  }

  /** Moves replicas out of zones with several, while another zone has none. */
  private void spreadOverZones(List<String> replicas) {
    while (replicas.size() < load.size()) {
      String from =
          replicas.stream()
              .max(
                  Comparator.<String>comparingInt(node -> zones.count(replicas, node))
                      .thenComparingInt(this::loadOf)
                      .thenComparingInt(replicas::indexOf))
              .orElseThrow();
      String to = next(replicas);
      if (zones.count(replicas, from) < 2 || zones.count(replicas, to) > 0) {
        return;
      }
      move(replicas, from, to);
    }
  }

  private void move(List<String> replicas, String from, String to) {
    replicas.set(replicas.indexOf(from), to);
    load.merge(from, -1, Integer::sum);
    load.merge(to, 1, Integer::sum);
  }

  private void balance() {
    while (tryMoveOne()) {
      // Another move may follow.
    }
  }

  /** Moves one replica from a node to one with at least two fewer, if there is such a pair. */
  private boolean tryMoveOne() {
    List<String> byLoad =
        load.keySet().stream().sorted(Comparator.comparingInt(this::loadOf)).toList();
    for (int most = byLoad.size() - 1; most > 0; most--) {
      for (String to : byLoad) {
        String from = byLoad.get(most);
        Optional<List<String>> moved =
            loadOf(from) - loadOf(to) < 2
                ? Optional.empty()
                : spread.stream().filter(one -> mayMove(one, from, to)).findFirst();
        if (moved.isPresent()) {
          move(moved.get(), from, to);
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Whether a replica can move from one node to another without reducing its partition's spread.
   */
  private boolean mayMove(List<String> replicas, String from, String to) {
    if (!replicas.contains(from) || replicas.contains(to)) {
      return false;
    }
    List<String> others = replicas.stream().filter(node -> !node.equals(from)).toList();
    return zones.count(others, to) <= zones.count(others, from);
  }

  private int loadOf(String node) {
    return load.getOrDefault(node, 0);
  }
}
