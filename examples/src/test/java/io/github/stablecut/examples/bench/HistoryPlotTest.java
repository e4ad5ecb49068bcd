package io.github.stablecut.examples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.examples.bench.guard.Figures.Load;
import io.github.stablecut.examples.bench.guard.History;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HistoryPlotTest {
  private static final Load LOAD = new Load("commit", 64);

  @TempDir Path directory;

  private static History.Line line(String commit, Load load, Map<String, Double> figures) {
    return new History.Line("2026-11-21T12:15:48Z", commit, load, figures, "2 processors");
  }

  private static final List<History.Line> LINES =
      List.of(
          line("aaa", LOAD, Map.of("of_raw", 1.08, "of_rocksdb", 2.6)),
          line("bbb", LOAD, Map.of("syncs", 0.03)),
          line("ccc", LOAD, Map.of("of_raw", 0.85)),
          line("ccc", new Load("commit", 1), Map.of("of_raw", 0.9)));

  @Test
  void hasACurveForEachLoadAndPeer() {
    assertThat(HistoryPlot.curves(LINES, List.of("aaa", "bbb", "ccc")))
        .isEqualTo(
            Map.of(
                "commit, 64 threads, of raw", Map.of(0, 1.08, 2, 0.85),
                "commit, 64 threads, of rocksdb", Map.of(0, 2.6),
                "commit, 1 thread, of raw", Map.of(2, 0.9)));
  }

  @Test
  void marksThePointsOfEachCurve() throws Exception {
    HistoryPlot.draw(LINES, directory.resolve("history"));
    String svg = Files.readString(directory.resolve("history.svg"));
    int points = 4;
    int curvesInTheLegend = 3;
    assertThat(svg.split("<circle", -1)).hasSize(1 + points + curvesInTheLegend);
    assertThat(directory.resolve("history.png")).isNotEmptyFile();
  }

  @Test
  void drawsAHistoryWithoutRatios() throws Exception {
    HistoryPlot.draw(List.of(LINES.get(1)), directory.resolve("history"));
    assertThat(directory.resolve("history.svg")).isNotEmptyFile();
  }
}
