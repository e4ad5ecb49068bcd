package io.github.stablecut.examples.bench.guard;

import java.util.List;

/**
 * The median of values with an interval that contains the true median, whatever the distribution:
 * from a value to the value of the same rank from above. Immutable.
 *
 * @param confidence the probability that the interval contains the true median
 */
public record Interval(double median, double low, double high, double confidence) {
  private static final double WANTED_CONFIDENCE = 0.95;

  /**
   * The smallest such interval whose confidence is at least 95 percent, which takes six values; the
   * range of fewer values.
   */
  public static Interval of(List<Double> values) {
    if (values.isEmpty()) {
      return new Interval(Double.NaN, Double.NaN, Double.NaN, 0);
    }
    List<Double> sorted = values.stream().sorted().toList();
    int count = sorted.size();
    int outside = 0;
    while (2 * (outside + 1) < count && confidence(count, outside + 1) >= WANTED_CONFIDENCE) {
      outside++;
    }
    double median = (sorted.get((count - 1) / 2) + sorted.get(count / 2)) / 2;
    return new Interval(
        median, sorted.get(outside), sorted.get(count - 1 - outside), confidence(count, outside));
  }

  /**
   * The probability that the true median is not beyond the values that remain without the lowest
   * and the highest {@code outside} ones: each value is above it as a coin shows heads.
   */
  private static double confidence(int count, int outside) {
    double exactly = Math.pow(0.5, count);
    double atMost = 0;
    for (int i = 0; i <= outside; i++) {
      atMost += exactly;
      exactly *= (count - i) / (i + 1.0);
    }
    return 1 - 2 * atMost;
  }

  @Override
  public String toString() {
    return "%.2f [%.2f, %.2f]".formatted(median, low, high);
  }
}
