package io.github.stablecut.internal.recovery;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which nodes have copies of which partitions, when there are to be more or fewer of each, or other
 * nodes are to have them. Each node of a cluster computes the same. Confined to a thread.
 *
 * <p>What is too many goes from the nodes with the most copies, and what is missing comes to those
 * with the fewest. Copies are moved only if their number stays: until no node has two more than
 * another.
 */
final class CopiesSpread {
  private final Map<String, Integer> load = new LinkedHashMap<>();
  private final List<List<String>> spread = new ArrayList<>();

  private CopiesSpread(List<List<String>> copies, List<String> nodes) {
    nodes.forEach(node -> load.put(node, 0));
    for (List<String> one : copies) {
      spread.add(new ArrayList<>(one.stream().filter(nodes::contains).toList()));
    }
    spread.forEach(one -> one.forEach(node -> load.merge(node, 1, Integer::sum)));
  }

  /**
   * The nodes with copies, by partition, when each is to have so many.
   *
   * @param copies those that have them now
   * @param nodes those that may have some; at least as many
   */
  static List<List<String>> over(List<List<String>> copies, List<String> nodes, int number) {
    CopiesSpread changed = new CopiesSpread(copies, nodes);
    for (List<String> one : changed.spread) {
      while (one.size() > number) {
        changed.takeFrom(one);
      }
      while (one.size() < number) {
        changed.addTo(one);
      }
    }
    if (copies.stream().allMatch(one -> one.size() == number)) {
      changed.balance();
    }
    return changed.spread;
  }

  /** The first stays: it is preferred as leader. */
  private void takeFrom(List<String> copies) {
    String most = copies.get(copies.size() - 1);
    for (String node : copies.subList(1, copies.size())) {
      if (loadOf(node) > loadOf(most)) {
        most = node;
      }
    }
    boolean unused = copies.remove(most);
    load.merge(most, -1, Integer::sum);
  }

  private void addTo(List<String> copies) {
    String fewest =
        load.keySet().stream()
            .filter(node -> !copies.contains(node))
            .min(Comparator.comparingInt(this::loadOf))
            .orElseThrow();
    copies.add(fewest);
    load.merge(fewest, 1, Integer::sum);
  }

  private void balance() {
    while (true) {
      String most = load.keySet().stream().max(Comparator.comparingInt(this::loadOf)).orElseThrow();
      String fewest =
          load.keySet().stream().min(Comparator.comparingInt(this::loadOf)).orElseThrow();
      if (loadOf(most) - loadOf(fewest) < 2) {
        return;
      }
      List<String> moved =
          spread.stream()
              .filter(one -> one.contains(most) && !one.contains(fewest))
              .findFirst()
              .orElseThrow();
      var unused = moved.set(moved.indexOf(most), fewest);
      load.merge(most, -1, Integer::sum);
      load.merge(fewest, 1, Integer::sum);
    }
  }

  private int loadOf(String node) {
    return load.getOrDefault(node, 0);
  }
}
