package io.github.stablecut.examples.bench.guard;

import io.github.stablecut.examples.bench.guard.Figures.Load;
import java.util.List;

/**
 * The result of a comparison: a difference counts if the interval of the ratio excludes 1 and the
 * median differs by more than 3 percent. Immutable.
 *
 * @param isSlower whether a load got slower
 */
public record Verdict(boolean isSlower, String text) {
  private static final double LEAST_DIFFERENCE = 0.03;
  private static final double LEAST_CONFIDENCE = 0.9;

  private static final List<String> COSTS =
      List.of(Figures.PROCESSOR_TIME, Figures.ALLOCATION, Figures.VOLUNTARY_SWITCHES);

  /** The verdict on a load. */
  public static Verdict of(Figures figures, Load load, String now, String base) {
    Interval speed = figures.ratio(load, now, base, Figures.SPEED);
    StringBuilder text = new StringBuilder();
    text.append(load).append(": ").append(word(speed)).append(": ").append(speed);
    for (String cost : COSTS) {
      Interval ratio = figures.ratio(load, now, base, cost);
      if (isLower(ratio) || isHigher(ratio)) {
        text.append("; ").append(cost).append(' ').append(ratio);
      }
    }
    return new Verdict(isLower(speed), text.toString());
  }

  private static String word(Interval speed) {
    if (speed.confidence() < LEAST_CONFIDENCE) {
      return "undecided, by fewer than five series";
    }
    return isLower(speed) ? "slower" : isHigher(speed) ? "faster" : "no difference beyond noise";
  }

  private static boolean isLower(Interval ratio) {
    return ratio.confidence() >= LEAST_CONFIDENCE
        && ratio.high() < 1
        && ratio.median() < 1 - LEAST_DIFFERENCE;
  }

  private static boolean isHigher(Interval ratio) {
    return ratio.confidence() >= LEAST_CONFIDENCE
        && ratio.low() > 1
        && ratio.median() > 1 + LEAST_DIFFERENCE;
  }
}
