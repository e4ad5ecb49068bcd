package io.github.stablecut.examples.ycsb;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * A chart of paired bars on a logarithmic axis, in SVG. Confined to one thread.
 *
 * @see <a href="https://www.w3.org/TR/SVG11/">SVG 1.1</a>
 */
final class BarChart {
  private static final int WIDTH = 760;
  private static final int HEIGHT = 400;
  private static final int LEFT = 90;
  private static final int TOP = 50;
  private static final int BOTTOM = 350;
  private static final List<String> COLOURS = List.of("#2166ac", "#b2182b");

  private final String title;
  private final List<String> names;
  private final List<Group> groups = new ArrayList<>();

  private record Group(String name, List<Double> heights) {}

  /**
   * @param names of the bars of each group
   */
  BarChart(String title, List<String> names) {
    this.title = title;
    this.names = names;
  }

  /** Adds a group of bars, whose heights are positive. */
  void add(String name, List<Double> heights) {
    groups.add(new Group(name, List.copyOf(heights)));
  }

  /** Renders the chart. */
  String toSvg() {
    StringBuilder svg = new StringBuilder();
    append(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">",
        WIDTH,
        HEIGHT);
    append(svg, "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>", WIDTH, HEIGHT);
    append(svg, "<text x=\"%d\" y=\"20\" font-size=\"15\">%s</text>", LEFT, title);
    int lowest = (int) Math.floor(Math.log10(heights().min().orElse(1)));
    int highest = Math.max(lowest + 1, (int) Math.ceil(Math.log10(heights().max().orElse(10))));
    for (int power = lowest; power <= highest; power++) {
      double y = y(Math.pow(10, power), lowest, highest);
      append(
          svg,
          "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ccc\"/>",
          LEFT,
          WIDTH,
          y,
          y);
      append(
          svg,
          "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%,.0f</text>",
          LEFT - 8,
          y + 4,
          Math.pow(10, power));
    }
    double room = (double) (WIDTH - LEFT) / Math.max(1, groups.size());
    for (int i = 0; i < groups.size(); i++) {
      append(svg, groups.get(i), LEFT + i * room, room, lowest, highest);
    }
    for (int i = 0; i < names.size(); i++) {
      int x = LEFT + i * 160;
      append(
          svg,
          "<rect x=\"%d\" y=\"30\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"41\">%s</text>",
          x,
          COLOURS.get(i),
          x + 18,
          names.get(i));
    }
    return svg.append("</svg>\n").toString();
  }

  private DoubleStream heights() {
    return groups.stream().flatMap(group -> group.heights.stream()).mapToDouble(height -> height);
  }

  private static double y(double height, int lowest, int highest) {
    return BOTTOM - (Math.log10(height) - lowest) / (highest - lowest) * (BOTTOM - TOP);
  }

  private static void append(
      StringBuilder svg, Group group, double from, double room, int lowest, int highest) {
    double width = room * 0.8 / group.heights.size();
    for (int i = 0; i < group.heights.size(); i++) {
      double y = y(group.heights.get(i), lowest, highest);
      append(
          svg,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
          from + room * 0.1 + i * width,
          y,
          width,
          BOTTOM - y,
          COLOURS.get(i));
    }
    append(
        svg,
        "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
        from + room / 2,
        BOTTOM + 20,
        group.name);
  }

  private static void append(StringBuilder svg, String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}
