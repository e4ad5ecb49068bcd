package io.github.stablecut.examples.bench.guard;

import io.github.stablecut.examples.bench.guard.Figures.Load;
import io.github.stablecut.examples.bench.guard.Git.Commit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The measured commits in a file of CSV, one line per commit and load. */
public final class History {
  /** The columns of ratios to the peers. */
  public static final List<String> RATIOS = List.of("of_raw", "of_rocksdb", "of_echo");

  private static final List<String> FIGURES =
      Stream.concat(
              RATIOS.stream(),
              Stream.of(
                  Figures.PROCESSOR_TIME,
                  Figures.ALLOCATION,
                  Figures.SYSTEM_CALLS,
                  Figures.FUTEX_CALLS,
                  Figures.SYNCS,
                  Figures.VOLUNTARY_SWITCHES,
                  Figures.INVOLUNTARY_SWITCHES))
          .toList();

  private static final String HEADER =
      "committed,commit,bench,threads," + String.join(",", FIGURES) + ",machine";

  private static final int FIRST_FIGURE = 4;

  private History() {}

  /**
   * A measured commit.
   *
   * @param committed the time of the commit
   * @param figures by column; what was not measured is absent
   */
  public record Line(
      String committed, String commit, Load load, Map<String, Double> figures, String machine) {
    private boolean isOfTheSame(Line other) {
      return commit.equals(other.commit)
          && load.equals(other.load)
          && machine.equals(other.machine);
    }

    private String toCsv() {
      List<String> cells = new ArrayList<>();
      cells.addAll(List.of(committed, commit, load.bench(), "" + load.threads()));
      for (String column : FIGURES) {
        Double figure = figures.get(column);
        cells.add(figure == null ? "" : "%.4g".formatted(figure));
      }
      cells.add(machine);
      return String.join(",", cells);
    }

    private static Line ofCsv(String line) {
      String[] cells = line.split(",", -1);
      if (cells.length != FIRST_FIGURE + FIGURES.size() + 1) {
        throw new IllegalArgumentException("not a line of a history: " + line);
      }
      Map<String, Double> figures = new LinkedHashMap<>();
      for (int i = 0; i < FIGURES.size(); i++) {
        String cell = cells[FIRST_FIGURE + i];
        if (!cell.isEmpty()) {
          figures.put(FIGURES.get(i), Double.parseDouble(cell));
        }
      }
      return new Line(
          cells[0],
          cells[1],
          new Load(cells[2], Integer.parseInt(cells[3])),
          figures,
          cells[cells.length - 1]);
    }
  }

  /** The line of a commit that was measured with peers, which have the names of their targets. */
  public static Line line(
      Commit commit, Load load, Figures figures, String subject, String machine) {
    Map<String, Double> found = new LinkedHashMap<>();
    for (String column : FIGURES) {
      double figure =
          column.startsWith("of_")
              ? figures.ratio(load, subject, column.substring(3), Figures.SPEED).median()
              : figures.median(load, subject, column);
      if (!Double.isNaN(figure)) {
        found.put(column, figure);
      }
    }
    return new Line(
        commit.time(), commit.id(), load, found, machine.replaceAll("# *", "").replace(",", ";"));
  }

  /** The lines of a file; empty if there is none. */
  public static List<Line> read(Path file) throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    return Files.readAllLines(file).stream().skip(1).map(Line::ofCsv).toList();
  }

  /** Adds lines to a file, in the order of the commits; they replace those of the same load. */
  public static void add(Path file, List<Line> added) throws IOException {
    List<Line> lines = new ArrayList<>(read(file));
    lines.removeIf(line -> added.stream().anyMatch(line::isOfTheSame));
    lines.addAll(added);
    lines.sort(
        Comparator.comparing(Line::committed)
            .thenComparing(line -> line.load().bench())
            .thenComparing(line -> line.load().threads()));
    Files.write(file, Stream.concat(Stream.of(HEADER), lines.stream().map(Line::toCsv)).toList());
  }
}
