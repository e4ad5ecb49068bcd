package io.github.stablecut.examples.bench;

import io.github.stablecut.examples.bench.guard.Figures.Load;
import io.github.stablecut.examples.bench.guard.History;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Draws the measured commits: the store's throughput relative to its peers'. */
final class HistoryPlot {
  private HistoryPlot() {}

  /**
   * Draws a curve for each load and peer.
   *
   * @param name of the files, without extensions
   */
  static void draw(List<History.Line> lines, Path name) throws IOException {
    List<String> commits = lines.stream().map(History.Line::commit).distinct().toList();
    Plot plot = Plot.ofVersions("throughput of the store by commit", "relative to a peer", commits);
    curves(lines, commits)
        .forEach((curve, points) -> plot.addMarked(curve, xs(points), ys(points)));
    plot.write(name);
  }

  /** The points of each curve, by the number of the commit. */
  static Map<String, Map<Integer, Double>> curves(List<History.Line> lines, List<String> commits) {
    Map<String, Map<Integer, Double>> curves = new LinkedHashMap<>();
    for (String ratio : History.RATIOS) {
      for (History.Line line : lines) {
        Double figure = line.figures().get(ratio);
        if (figure != null) {
          curves
              .computeIfAbsent(nameOf(line.load(), ratio), key -> new LinkedHashMap<>())
              .put(commits.indexOf(line.commit()), figure);
        }
      }
    }
    return curves;
  }

  private static String nameOf(Load load, String ratio) {
    return load + ", " + ratio.replace('_', ' ');
  }

  private static List<Double> xs(Map<Integer, Double> points) {
    return points.keySet().stream().map(Integer::doubleValue).toList();
  }

  private static List<Double> ys(Map<Integer, Double> points) {
    return List.copyOf(points.values());
  }
}
