package io.github.stablecut.examples.bench;

import java.util.List;

/** Computes medians of rounds. */
final class Medians {
  private Medians() {}

  /** The median, or the upper one of an even number of values; NaN without values. */
  static double of(List<Double> some) {
    return some.isEmpty() ? Double.NaN : some.stream().sorted().toList().get(some.size() / 2);
  }
}
