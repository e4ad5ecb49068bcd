package io.github.stablecut.internal.recovery;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * In which zones nodes are: what fails together, such as a rack or a building. A node that names
 * none is a zone of its own. Immutable.
 *
 * @param of the names of zones, by node
 */
public record Zones(Map<String, String> of) {
  /** Of nodes that name none. */
  public static final Zones NONE = new Zones(Map.of());

  /** Copies the map, without empty names. */
  public Zones {
    Map<String, String> named = new TreeMap<>(of);
    boolean unused = named.values().removeIf(String::isEmpty);
    of = Map.copyOf(named);
  }

  /** Whether no node names one. */
  public boolean areNone() {
    return of.isEmpty();
  }

  private boolean isSame(String one, String other) {
    return one.equals(other) || (of.containsKey(one) && of.get(one).equals(of.get(other)));
  }

  /** How many of some nodes are in the zone of a node; itself, too, if it is one of them. */
  int count(List<String> nodes, String node) {
    return (int) nodes.stream().filter(other -> isSame(node, other)).count();
  }

  /** How many zones some nodes are in. */
  public int number(List<String> nodes) {
    return (int)
        nodes.stream()
            .map(node -> of.containsKey(node) ? "zone " + of.get(node) : node)
            .distinct()
            .count();
  }

  /** Whether nodes are in as many zones as they can be of those of others. */
  public boolean isSpread(List<String> nodes, List<String> among) {
    return number(nodes) >= Math.min(nodes.size(), number(among));
  }

  /**
   * Some nodes, and more of others, each in a zone with as few of them as there is.
   *
   * @param number so many together, if there are as many
   */
  public List<String> more(List<String> some, List<String> others, int number) {
    List<String> all = new ArrayList<>(some.subList(0, Math.min(number, some.size())));
    List<String> left = new ArrayList<>(others);
    boolean unused = left.removeAll(some);
    while (all.size() < number && !left.isEmpty()) {
      String next =
          left.stream().min(Comparator.comparingInt(node -> count(all, node))).orElseThrow();
      boolean unusedToo = left.remove(next);
      all.add(next);
    }
    return List.copyOf(all);
  }

  /** The same with what others say of nodes. */
  public Zones with(Map<String, String> newer) {
    Map<String, String> all = new LinkedHashMap<>(of);
    all.putAll(newer);
    return new Zones(all);
  }
}
