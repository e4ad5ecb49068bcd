package io.github.stablecut.internal.recovery;

import java.util.List;

/** A change of a cluster's plan, on which its nodes agree in the register of layouts. Immutable. */
public sealed interface PlanChange {
  /** What {@link #parse} reads: no name of a node has one of the marks in it. */
  String toText();

  /** The plan with this change. */
  NodePlan applyTo(NodePlan plan);

  /** The nodes that it names. */
  List<String> nodes();

  /**
   * Reads a change.
   *
   * @throws IllegalArgumentException if it is none
   */
  static PlanChange parse(String text) {
    int by = text.indexOf(Replacement.BY);
    if (by >= 0) {
      return new Replacement(text.substring(0, by), text.substring(by + 1));
    }
    int of = text.indexOf(Copies.ON);
    if (of >= 0) {
      return new Copies(
          Integer.parseInt(text.substring(0, of)),
          List.of(text.substring(of + 1).split("\\" + Copies.AND, -1)));
    }
    throw new IllegalArgumentException("no change of a plan: \"%s\"".formatted(text));
  }

  /**
   * A node takes the place of one that is lost for ever: {@code n3>n9}.
   *
   * @param lost one of the nodes with copies
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
   * Each partition has so many copies from now on, on some of these nodes: {@code
   * 5=n1+n2+n3+n4+n5}.
   *
   * @param number 1, 3 or 5
   * @param nodes at least as many; others are to have no copies, and not to keep the register
   */
  record Copies(int number, List<String> nodes) implements PlanChange {
    private static final char ON = '=';
    private static final String AND = "+";

    /** Copies the list. */
    public Copies {
      nodes = List.copyOf(nodes);
    }

    @Override
    public String toText() {
      return "%d%c%s".formatted(number, ON, String.join(AND, nodes));
    }

    @Override
    public NodePlan applyTo(NodePlan plan) {
      return plan.withCopies(number, nodes);
    }
  }
}
