package io.github.stablecut.examples.bench;

import io.github.stablecut.examples.bench.stream.CompositionFigures;
import io.github.stablecut.examples.bench.stream.Figure;
import io.github.stablecut.examples.bench.stream.SnapshotFigures;
import io.github.stablecut.examples.bench.stream.StreamFigures;
import io.github.stablecut.file.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The figures of the vCorfu paper (Wei et al., NSDI 2017, section 6), on this machine. */
@Command(name = "vcorfu", description = "Streams, objects and composed maps: the paper's figures")
final class VcorfuBench implements Callable<Integer> {
  @Option(
      names = "--figures",
      split = ",",
      defaultValue = "8,13,14,15,16,17",
      description = "figures to measure (${DEFAULT-VALUE})")
  private List<Integer> figures = List.of();

  @Option(
      names = "--millis",
      defaultValue = "2000",
      description = "milliseconds per point (${DEFAULT-VALUE})")
  private long millis;

  @Option(
      names = "--megabytes",
      defaultValue = "100",
      description = "megabytes of updates of the maps of figure 16 (${DEFAULT-VALUE})")
  private int megabytes;

  @Option(names = "--plots", description = "a directory for plots; none by default")
  private Optional<Path> plots = Optional.empty();

  @Mixin private Workspace workspace = new Workspace();

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    try {
      System.out.println(Machine.describe(directory));
      for (int figure : figures) {
        show(figure(figure, directory.resolve("figure-" + figure)));
      }
    } finally {
      FileTrees.delete(directory);
    }
    return 0;
  }

  private Figure figure(int number, Path directory) throws Exception {
    return switch (number) {
      case 8 -> StreamFigures.wholeStreams(directory, millis);
      case 13 -> SnapshotFigures.readOnlyTransactions(directory, millis);
      case 14 -> SnapshotFigures.writerBesideReaders(directory, millis);
      case 15 -> StreamFigures.advertising(directory, millis);
      case 16 -> CompositionFigures.opening(directory, megabytes, millis);
      case 17 -> CompositionFigures.clearAndSize(directory);
      default ->
          throw new IllegalArgumentException("figure " + number + " is not among those measured");
    };
  }

  private void show(Figure figure) throws IOException {
    System.out.println();
    System.out.println(figure.title());
    System.out.println(figure.xAxis() + "," + String.join(",", figure.names()));
    figure
        .points()
        .forEach(
            (x, ys) -> {
              StringBuilder line = new StringBuilder("%.0f".formatted(x));
              ys.forEach(y -> line.append(",%.4g".formatted(y)));
              System.out.println(line);
            });
    if (plots.isPresent()) {
      Plot plot = new Plot(figure.title(), figure.xAxis(), "").withLogarithms();
      for (int i = 0; i < figure.names().size(); i++) {
        List<Double> ys = new ArrayList<>();
        for (List<Double> point : figure.points().values()) {
          ys.add(Math.max(1e-3, point.get(i)));
        }
        plot.add(figure.names().get(i), List.copyOf(figure.points().keySet()), ys);
      }
      plot.write(
          Files.createDirectories(plots.get())
              .resolve(figure.title().replaceAll("[^A-Za-z0-9]+", "-")));
    }
  }
}
