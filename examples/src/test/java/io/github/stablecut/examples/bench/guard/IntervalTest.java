package io.github.stablecut.examples.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class IntervalTest {
  private static Interval ofFirst(int count) {
    return Interval.of(IntStream.rangeClosed(1, count).mapToObj(i -> (double) i).toList());
  }

  @Test
  void leavesOutAsManyValuesAsTheConfidencePermits() {
    assertThat(ofFirst(12)).isEqualTo(new Interval(6.5, 3, 10, 1 - 2 * 79.0 / 4096));
    assertThat(ofFirst(9)).isEqualTo(new Interval(5, 2, 8, 1 - 2 * 10.0 / 512));
    assertThat(ofFirst(6)).isEqualTo(new Interval(3.5, 1, 6, 1 - 2 / 64.0));
  }

  @Test
  void fewValuesHaveTheirRange() {
    assertThat(ofFirst(5)).isEqualTo(new Interval(3, 1, 5, 1 - 2 / 32.0));
    assertThat(ofFirst(1)).isEqualTo(new Interval(1, 1, 1, 0));
    assertThat(Interval.of(List.of()).median()).isNaN();
  }

  @Test
  void doesNotDependOnTheOrder() {
    assertThat(Interval.of(List.of(6.0, 2.0, 5.0, 1.0, 4.0, 3.0))).isEqualTo(ofFirst(6));
  }

  @Test
  void containsTheTrueMedianAsOftenAsItClaims() {
    Random random = new Random(1);
    int trials = 20_000;
    long contained =
        IntStream.range(0, trials)
            .mapToObj(i -> Interval.of(random.doubles(12).map(Math::exp).boxed().toList()))
            .filter(some -> some.low() <= Math.exp(0.5) && Math.exp(0.5) <= some.high())
            .count();
    assertThat(contained / (double) trials).isCloseTo(ofFirst(12).confidence(), within(0.005));
  }

  @Test
  void isPrintedWithItsEnds() {
    assertThat(new Interval(0.871, 0.839, 0.904, 0.96)).hasToString("0.87 [0.84, 0.90]");
  }
}
