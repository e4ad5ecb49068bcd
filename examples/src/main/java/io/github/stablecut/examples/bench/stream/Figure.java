package io.github.stablecut.examples.bench.stream;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A figure with several curves.
 *
 * @param names of the curves
 * @param points the value of each curve at an x
 */
public record Figure(
    String title, String xAxis, List<String> names, SortedMap<Double, List<Double>> points) {
  /** Creates a figure without points. */
  static Figure of(String title, String xAxis, String... names) {
    return new Figure(title, xAxis, List.of(names), new TreeMap<>());
  }

  /** Adds the values of the curves at an x. */
  void add(double x, double... ys) {
    List<Double> all = new ArrayList<>();
    Arrays.stream(ys).forEach(all::add);
    points.put(x, all);
  }
}
