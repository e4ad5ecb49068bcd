package io.github.stablecut.examples.bench;

import java.util.List;

/** The middle of what several rounds have measured. */
final class Medians {
  private Medians() {}

  /** The median, of an even number the upper one; not a number if there is none. */
  static double of(List<Double> some) {
    return some.isEmpty() ? Double.NaN : some.stream().sorted().toList().get(some.size() / 2);
  }
}
