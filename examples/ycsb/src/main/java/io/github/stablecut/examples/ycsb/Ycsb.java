package io.github.stablecut.examples.ycsb;

import io.github.stablecut.file.FileTrees;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** YCSB's workloads on both stores, in alternating rounds: {@code examples/ycsb/run}. */
@Command(
    name = "examples/ycsb/run",
    mixinStandardHelpOptions = true,
    description =
        "YCSB A to F with records of 1 KB: a composed map compared with RocksDB, in one run.")
public final class Ycsb implements Callable<Integer> {
  @Option(names = "--workloads", split = ",", description = "workloads to run; all by default")
  private List<Letter> letters = List.of(Letter.values());

  @Option(names = "--records", defaultValue = "100000", description = "${DEFAULT-VALUE}")
  private int records;

  @Option(names = "--threads", defaultValue = "4", description = "${DEFAULT-VALUE}")
  private int threads;

  @Option(
      names = "--millis",
      defaultValue = "3000",
      description = "milliseconds of a round (${DEFAULT-VALUE})")
  private long millis;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "rounds of each store, alternating; the median counts (${DEFAULT-VALUE})")
  private int rounds;

  @Option(names = "--sync", description = "both stores sync each write; otherwise neither does")
  private boolean isSynced;

  @Option(names = "--directory", description = "directory to write to; a temporary one by default")
  private Path parent = Path.of(System.getProperty("java.io.tmpdir"));

  @Option(names = "--plot", description = "a file for a plot in SVG; none by default")
  private Optional<Path> plot = Optional.empty();

  @Spec private CommandSpec spec = CommandSpec.create();

  private final BarChart chart =
      new BarChart("operations per second by workload", List.of("Stablecut", "RocksDB"));

  Ycsb() {}

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Runs it and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Ycsb()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    if (threads < 1 || records < threads || records % threads != 0 || rounds < 1 || millis < 1) {
      throw new ParameterException(
          spec.commandLine(),
          "--threads, --rounds and --millis must be at least 1, and --records must be a multiple of --threads");
    }
    Path directory = Files.createTempDirectory(Files.createDirectories(parent), "stablecut-ycsb");
    try {
      out().println("workload,Stablecut ops/s,RocksDB ops/s,ratio");
      compare(directory, letters.stream().filter(letter -> letter != Letter.E).toList(), false);
      compare(directory, letters.stream().filter(letter -> letter == Letter.E).toList(), true);
      if (plot.isPresent()) {
        Files.writeString(plot.get(), chart.toSvg());
      }
    } finally {
      FileTrees.delete(directory);
    }
    return 0;
  }

  private void compare(Path directory, List<Letter> compared, boolean isOrdered) throws Exception {
    if (compared.isEmpty()) {
      return;
    }
    String kind = isOrdered ? "ordered" : "hashed";
    try (RecordStore objects =
            new ObjectRecords(directory.resolve("objects-" + kind), isSynced, isOrdered);
        RecordStore rocks =
            new RocksRecords(Files.createDirectory(directory.resolve("rocks-" + kind)), isSynced)) {
      for (RecordStore store : List.of(objects, rocks)) {
        try (Runner loading = new Runner(store, Letter.C.properties(records), threads)) {
          loading.load(records);
        }
      }
      for (Letter letter : compared) {
        compare(letter, objects, rocks);
      }
    }
  }

  private void compare(Letter letter, RecordStore objects, RecordStore rocks) throws Exception {
    try (Runner objectsRunner = new Runner(objects, letter.properties(records), threads);
        Runner rocksRunner = new Runner(rocks, letter.properties(records), threads)) {
      List<Double> own = new ArrayList<>();
      List<Double> other = new ArrayList<>();
      objectsRunner.run(millis); // warms up
      rocksRunner.run(millis);
      for (int round = 0; round < rounds; round++) {
        own.add(objectsRunner.run(millis));
        other.add(rocksRunner.run(millis));
      }
      double ratio = median(own) / median(other);
      chart.add(letter.name(), List.of(median(own), median(other)));
      out().printf(Locale.ROOT, "%s,%.0f,%.0f,%.3f%n", letter, median(own), median(other), ratio);
      out().flush();
    }
  }

  private static double median(List<Double> values) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    return sorted.get(sorted.size() / 2);
  }
}
