package io.github.stablecut.examples.bench;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.HdrHistogram.Histogram;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;
import org.w3c.dom.Document;

/** A chart, written as an SVG and a PNG file. Confined to one thread. */
final class Plot {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 500;
  private static final String SVG = "http://www.w3.org/2000/svg";

  /** The drawn percentiles of latencies, each as one request in so many. */
  private static final List<Double> ONE_IN =
      List.of(1.0, 2.0, 4.0, 10.0, 20.0, 100.0, 200.0, 1e3, 2e3, 1e4, 2e4, 1e5);

  private final XYChart chart = new XYChart(WIDTH, HEIGHT, Styler.ChartTheme.Matlab);

  /**
   * @param title also names the measurement and the machine
   */
  Plot(String title, String xAxis, String yAxis) {
    chart.setTitle(title);
    chart.setXAxisTitle(xAxis);
    chart.setYAxisTitle(yAxis);
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
    // SVG would draw each dash of a dashed line as a shape.
    chart.getStyler().setPlotGridLinesStroke(new BasicStroke(0.5f));
    chart.getStyler().setPlotGridLinesColor(Color.LIGHT_GRAY);
  }

  /** A plot of latencies by percentile. */
  static Plot ofLatencies(String title) {
    Plot plot = new Plot(title, "percentile", "microseconds").withLogarithms();
    plot.chart.getStyler().setXAxisLogarithmic(true);
    plot.chart.getStyler().setXAxisLogarithmicDecadeOnly(true);
    plot.label(oneIn -> "p" + (100 - 100 / Math.max(1, Math.rint(oneIn))));
    return plot;
  }

  /** A chart by number of threads, on a binary logarithmic axis. */
  static Plot ofThreads(String title, String yAxis) {
    Plot plot = new Plot(title, "threads", yAxis).withLogarithms();
    plot.label(log -> log == Math.rint(log) ? "%.0f".formatted(Math.pow(2, log)) : " ");
    return plot;
  }

  /** Uses a logarithmic vertical axis. */
  Plot withLogarithms() {
    chart.getStyler().setYAxisLogarithmic(true);
    return this;
  }

  /**
   * A chart by version, from the oldest to the newest.
   *
   * @param versions their names; the first has x = 0
   */
  static Plot ofVersions(String title, String yAxis, List<String> versions) {
    Plot plot = new Plot(title, "commits", yAxis);
    plot.chart.getStyler().setXAxisMin(0.0).setXAxisMax((double) Math.max(1, versions.size() - 1));
    plot.chart.getStyler().setYAxisMin(0.0);
    plot.label(
        x -> x == Math.rint(x) && x >= 0 && x < versions.size() ? versions.get(x.intValue()) : " ");
    return plot;
  }

  private void label(Function<Double, String> label) {
    chart.getStyler().setXAxisTickLabelsFormattingFunction(label);
  }

  /** Adds a curve through points. */
  void add(String name, List<Double> xs, List<Double> ys) {
    chart.addSeries(name, xs, ys).setMarker(SeriesMarkers.NONE);
  }

  /** Adds a curve through few points, which are marked. */
  void addMarked(String name, List<Double> xs, List<Double> ys) {
    chart.addSeries(name, xs, ys).setMarker(SeriesMarkers.CIRCLE);
  }

  /** Adds latencies recorded in nanoseconds. */
  void add(String name, Histogram nanos) {
    List<Double> shown =
        ONE_IN.stream().filter(oneIn -> oneIn <= Math.max(1, nanos.getTotalCount())).toList();
    List<Double> micros =
        shown.stream()
            .map(oneIn -> Math.max(1, nanos.getValueAtPercentile(100 - 100 / oneIn)) / 1e3)
            .toList();
    add(name, shown, micros);
  }

  /**
   * Writes the chart.
   *
   * @param name of the files, without extensions
   */
  void write(Path name) throws IOException {
    BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
    paint(image.createGraphics());
    ImageIO.write(image, "png", Path.of(name + ".png").toFile());
    SVGGraphics2D svg = new SVGGraphics2D(emptySvg());
    svg.setSVGCanvasSize(new Dimension(WIDTH, HEIGHT));
    paint(svg);
    try (Writer writer = Files.newBufferedWriter(Path.of(name + ".svg"))) {
      svg.stream(writer, true);
    }
  }

  private static Document emptySvg() throws IOException {
    try {
      return DocumentBuilderFactory.newDefaultNSInstance()
          .newDocumentBuilder()
          .getDOMImplementation()
          .createDocument(SVG, "svg", null);
    } catch (ParserConfigurationException e) {
      throw new IOException("this JDK does not support XML documents: " + e, e);
    }
  }

  private void paint(Graphics2D graphics) {
    chart.paint(graphics, WIDTH, HEIGHT);
  }
}
