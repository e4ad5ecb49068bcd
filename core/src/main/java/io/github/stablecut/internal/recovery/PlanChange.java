package io.github.stablecut.internal.recovery;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A change of a cluster's plan, on which its nodes agree in the configuration register. Immutable.
 */
public sealed interface PlanChange {
  /** The text for {@link #parse}; its separators don't occur in names of nodes. */
  String toText();

  /** The plan with this change. */
  NodePlan applyTo(NodePlan plan);

  /** The nodes that it names. */
  List<String> nodes();

  /**
   * Reads a change.
   *
   * @throws IllegalArgumentException if the text is not a change
   */
  static PlanChange parse(String text) {
    int after = text.indexOf(Register.AFTER);
    if (after >= 0) {
      return Register.parse(Long.parseLong(text.substring(0, after)), text.substring(after + 1));
    }
    int by = text.indexOf(Replacement.BY);
    if (by >= 0) {
      return new Replacement(text.substring(0, by), text.substring(by + 1));
    }
    int of = text.indexOf(ReplicaCount.ON);
    if (of >= 0) {
      return ReplicaCount.parse(
          Integer.parseInt(text.substring(0, of)), names(text.substring(of + 1)));
    }
    throw new IllegalArgumentException("not a change of a plan: \"%s\"".formatted(text));
  }

  /**
   * Reads changes.
   *
   * @throws IllegalArgumentException if a text is not a change
   */
  static List<PlanChange> parseAll(List<String> texts) {
    return texts.stream().map(PlanChange::parse).toList();
  }

  /** The texts of changes. */
  static List<String> toTexts(List<PlanChange> changes) {
    return changes.stream().map(PlanChange::toText).toList();
  }

  private static List<String> names(String text) {
    return List.of(text.split("\\" + AND, -1));
  }

  /** The separator of names. */
  String AND = "+";

  /**
   * Partitions without replicas get a configuration register: {@code
   * 1000007@n1+n2+n4/n1+n2+n4+n5/0+1+3+0}. The last list has the owners n1, n2, n5 and n1 as
   * indexes of the nodes in base 36. The first change of a cluster that was formed without
   * replicas.
   *
   * @param after the epoch after which configuration epochs begin, above all earlier ones of the
   *     partitions
   * @param keepers the nodes that keep the register: 1, 3 or 5
   * @param owners the known owner of each partition, by partition
   */
  record Register(long after, List<String> keepers, List<String> owners) implements PlanChange {
    private static final char AFTER = '@';
    private static final String LISTS = "/";
    private static final int RADIX = Character.MAX_RADIX;

    /** Copies the lists, and checks the epoch. */
    public Register {
      keepers = List.copyOf(keepers);
      owners = List.copyOf(owners);
      if (after < 1) {
        throw new IllegalArgumentException(
            "configuration epochs must begin after at least 1, not after %d".formatted(after));
      }
    }

    @Override
    public String toText() {
      List<String> nodes = nodes();
      return "%d%c%s"
          .formatted(
              after,
              AFTER,
              String.join(
                  LISTS,
                  String.join(AND, keepers),
                  String.join(AND, nodes),
                  owners.stream()
                      .map(owner -> Integer.toString(nodes.indexOf(owner), RADIX))
                      .collect(Collectors.joining(AND))));
    }

    private static Register parse(long after, String text) {
      List<String> lists = List.of(text.split(LISTS, -1));
      if (lists.size() != 3) {
        throw new IllegalArgumentException("no owners of partitions: \"%s\"".formatted(text));
      }
      List<String> nodes = names(lists.get(1));
      return new Register(
          after,
          names(lists.get(0)),
          names(lists.get(2)).stream().map(index -> owner(nodes, index)).toList());
    }

    private static String owner(List<String> nodes, String index) {
      int number = Integer.parseInt(index, RADIX);
      if (number < 0 || number >= nodes.size()) {
        throw new IllegalArgumentException("no node has the index \"%s\"".formatted(index));
      }
      return nodes.get(number);
    }

    @Override
    public NodePlan applyTo(NodePlan plan) {
      return plan.withRegister(this);
    }

    @Override
    public List<String> nodes() {
      return Stream.concat(keepers.stream(), owners.stream()).distinct().toList();
    }
  }

  /**
   * A node replaces one that is lost for good: {@code n3>n9}.
   *
   * @param lost one of the nodes with replicas
   * @param by none of them
   */
  record Replacement(String lost, String by) implements PlanChange {
    private static final char BY = '>';

    @Override
    public String toText() {
      return lost + BY + by;
    }

    @Override
    public NodePlan applyTo(NodePlan plan) {
      return plan.replacing(lost, by);
    }

    @Override
    public List<String> nodes() {
      return List.of(lost, by);
    }
  }

  /**
   * Each partition gets another number of replicas, on some of these nodes: {@code
   * 5=n1+n2+n3+n4+n5}, or with their zones {@code 3=n1:a+n2:b+n3:b+n4}.
   *
   * @param number 1, 3 or 5
   * @param nodes at least as many; others get no replicas and don't keep the register
   * @param zones the zones of these nodes; those of other nodes are dropped
   */
  record ReplicaCount(int number, List<String> nodes, Zones zones) implements PlanChange {
    private static final char ON = '=';
    private static final String IN = ":";

    /** Copies the list, and restricts the zones to its nodes, as the text does. */
    public ReplicaCount {
      nodes = List.copyOf(nodes);
      Map<String, String> named = new TreeMap<>(zones.of());
      named.keySet().retainAll(nodes);
      zones = new Zones(named);
    }

    @Override
    public String toText() {
      return "%d%c%s"
          .formatted(
              number,
              ON,
              nodes.stream()
                  .map(
                      node ->
                          zones.of().containsKey(node) ? node + IN + zones.of().get(node) : node)
                  .collect(Collectors.joining(AND)));
    }

    private static ReplicaCount parse(int number, List<String> texts) {
      List<String> nodes = new ArrayList<>();
      Map<String, String> zones = new TreeMap<>();
      for (String text : texts) {
        List<String> parts = List.of(text.split(IN, 2));
        nodes.add(parts.get(0));
        if (parts.size() > 1) {
          zones.put(parts.get(0), parts.get(1));
        }
      }
      return new ReplicaCount(number, nodes, new Zones(zones));
    }

    @Override
    public NodePlan applyTo(NodePlan plan) {
      return plan.withReplicas(number, nodes, zones);
    }
  }
}
