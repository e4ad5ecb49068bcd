package io.github.stablecut.internal.recovery;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The zones of nodes: units that fail together, such as a rack or a building. A node without a zone
 * is its own zone. Immutable.
 *
 * @param of the names of zones, by node
 */
public record Zones(Map<String, String> of) {
  /** No node names a zone. */
  public static final Zones NONE = new Zones(Map.of());

  /** Copies the map, without empty names. */
  public Zones {
    Map<String, String> named = new TreeMap<>(of);
    named.values().removeIf(String::isEmpty);
    of = Map.copyOf(named);
  }

  /** Whether no node names a zone. */
  public boolean areNone() {
    return of.isEmpty();
  }

  private boolean isSame(String one, String other) {
    return one.equals(other) || (of.containsKey(one) && of.get(one).equals(of.get(other)));
  }

  /** The number of some nodes in the zone of a node, including the node if it is one of them. */
  int count(List<String> nodes, String node) {
    return (int) nodes.stream().filter(other -> isSame(node, other)).count();
  }

  /** The number of zones of some nodes. */
  public int number(List<String> nodes) {
    return (int)
        nodes.stream()
            .map(node -> of.containsKey(node) ? "zone " + of.get(node) : node)
            .distinct()
            .count();
  }

  /** Whether nodes are in as many zones as possible, given the zones of the eligible nodes. */
  public boolean isSpread(List<String> nodes, List<String> among) {
    return number(nodes) >= Math.min(nodes.size(), number(among));
  }

  /**
   * Extends a list of nodes with others, each from the zone with the fewest nodes so far.
   *
   * @param number the total number, if there are that many
   */
  public List<String> more(List<String> some, List<String> others, int number) {
    List<String> all = new ArrayList<>(some.subList(0, Math.min(number, some.size())));
    List<String> left = new ArrayList<>(others);
    left.removeAll(some);
    while (all.size() < number && !left.isEmpty()) {
      String next =
          left.stream().min(Comparator.comparingInt(node -> count(all, node))).orElseThrow();
      left.remove(next);
      all.add(next);
    }
    return List.copyOf(all);
  }

  /** These zones, updated with newer ones. */
  public Zones with(Map<String, String> newer) {
    Map<String, String> all = new LinkedHashMap<>(of);
    all.putAll(newer);
    return new Zones(all);
  }
}
