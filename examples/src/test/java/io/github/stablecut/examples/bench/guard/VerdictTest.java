package io.github.stablecut.examples.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.examples.bench.guard.Figures.Load;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class VerdictTest {
  private static final Load LOAD = new Load("commit", 64);

  /** The verdict on speeds relative to the base, which varies from series to series itself. */
  private static Verdict on(double... ratios) {
    return onAllocating(1, ratios);
  }

  private static Verdict onAllocating(double allocated, double... ratios) {
    Figures figures = new Figures();
    for (int i = 0; i < ratios.length; i++) {
      double speed = 1_000 * (i + 1);
      figures.add(LOAD, "base", Map.of(Figures.SPEED, speed, Figures.ALLOCATION, 800.0));
      figures.add(
          LOAD,
          "now",
          Map.of(Figures.SPEED, speed * ratios[i], Figures.ALLOCATION, 800 * allocated));
    }
    return Verdict.of(figures, LOAD, "now", "base");
  }

  @Test
  void slowerBeyondTheIntervalAndThreePercent() {
    Verdict verdict = on(0.9, 0.87, 0.84, 0.85, 0.88, 0.87);
    assertThat(verdict.isSlower()).isTrue();
    assertThat(verdict.text()).isEqualTo("commit, 64 threads: slower: 0.87 [0.84, 0.90]");
  }

  @Test
  void aSmallDifferenceIsNone() {
    Verdict verdict = on(0.98, 0.99, 0.98, 0.97, 0.99, 0.98);
    assertThat(verdict.isSlower()).isFalse();
    assertThat(verdict.text()).contains("no difference beyond noise: 0.98 [0.97, 0.99]");
  }

  @Test
  void aDifferenceWithinTheIntervalIsNoise() {
    Verdict verdict = on(0.5, 0.6, 0.7, 0.8, 0.9, 1.01);
    assertThat(verdict.isSlower()).isFalse();
    assertThat(verdict.text()).contains("no difference beyond noise: 0.75 [0.50, 1.01]");
  }

  @Test
  void fasterIsNotSlower() {
    Verdict verdict = on(1.1, 1.2, 1.3, 1.1, 1.2, 1.3);
    assertThat(verdict.isSlower()).isFalse();
    assertThat(verdict.text()).contains("64 threads: faster: 1.20 [1.10, 1.30]");
  }

  @Test
  void fewSeriesDecideNothing() {
    Verdict verdict = on(0.5, 0.5, 0.5, 0.5);
    assertThat(verdict.isSlower()).isFalse();
    assertThat(verdict.text()).contains("undecided, by fewer than five series: 0.50");
  }

  @Test
  void namesCostsThatChanged() {
    assertThat(onAllocating(1.25, 1, 1, 1, 1, 1, 1).text())
        .isEqualTo(
            "commit, 64 threads: no difference beyond noise: 1.00 [1.00, 1.00];"
                + " allocated_bytes 1.25 [1.25, 1.25]");
  }
}
