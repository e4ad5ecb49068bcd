package io.github.stablecut.examples.bench;

import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Latencies by percentile as a picture: both axes logarithmic. */
final class LatencyPlot {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 400;
  private static final int MARGIN = 60;
  private static final List<Double> PERCENTILES =
      List.of(0.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99);
  private static final double MIN_MICROS = 10;
  private static final double MAX_MICROS = 1_000_000;
  private static final double MAX_NINES = 4;

  private LatencyPlot() {}

  static String svg(Histogram reads, Histogram updates) {
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n"
            .formatted(WIDTH, HEIGHT));
    for (double micros = MIN_MICROS; micros <= MAX_MICROS; micros *= 10) {
      svg.append(
          line(MARGIN, y(micros), WIDTH - MARGIN, y(micros))
              + text(5, y(micros) + 4, "%,.0f us".formatted(micros)));
    }
    for (double percentile : List.of(0.0, 90.0, 99.0, 99.9, 99.99)) {
      svg.append(
          line(x(percentile), MARGIN, x(percentile), HEIGHT - MARGIN)
              + text(x(percentile) - 12, HEIGHT - MARGIN + 18, "p" + percentile));
    }
    curve(svg, reads, "#1f77b4", "reads", 1);
    curve(svg, updates, "#d62728", "updates", 2);
    return svg.append("</svg>\n").toString();
  }

  private static void curve(
      StringBuilder svg, Histogram latencies, String colour, String name, int place) {
    svg.append("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" + colour + "\" points=\"");
    for (double percentile : PERCENTILES) {
      double micros = Math.max(MIN_MICROS, latencies.getValueAtPercentile(percentile) / 1e3);
      svg.append("%.1f,%.1f ".formatted(x(percentile), y(micros)));
    }
    svg.append("\"/>\n<g fill=\"" + colour + "\">")
        .append(text(MARGIN + 10, MARGIN + 16 * place, name))
        .append("</g>\n");
  }

  /** Percentiles by their nines: 90 is one, 99 is two. */
  private static double x(double percentile) {
    double nines = -Math.log10(1 - percentile / 100);
    return MARGIN + nines / MAX_NINES * (WIDTH - 2 * MARGIN);
  }

  private static double y(double micros) {
    double part = Math.log10(micros / MIN_MICROS) / Math.log10(MAX_MICROS / MIN_MICROS);
    return HEIGHT - MARGIN - part * (HEIGHT - 2 * MARGIN);
  }

  private static String line(double x1, double y1, double x2, double y2) {
    return String.format(
        Locale.ROOT,
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
        x1,
        y1,
        x2,
        y2);
  }

  private static String text(double x, double y, String words) {
    return String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\">%s</text>%n", x, y, words);
  }
}
