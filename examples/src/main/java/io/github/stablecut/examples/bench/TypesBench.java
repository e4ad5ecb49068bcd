package io.github.stablecut.examples.bench;

import io.github.stablecut.examples.bench.type.Samples;
import io.github.stablecut.examples.bench.type.StablecutTargets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures operations on data types without a store, by number of entries, compared with the types
 * of Akka Distributed Data. Prints the nanoseconds of the fastest round, because other load only
 * adds time, and their ratio. It also prints them divided by log2(n + 1), which must not rise with
 * the size n if the cost is logarithmic, and the encoded size of a set.
 */
@Command(
    name = "types",
    description = "Data types alone, compared with those of Akka Distributed Data (JMH)")
final class TypesBench implements Callable<Integer> {
  private static final int WARM_UP_ROUNDS = 8;
  private static final int ROUNDS = 10;

  @Option(
      names = "--types",
      split = ",",
      defaultValue = "set,map,counter",
      description = "types (${DEFAULT-VALUE})")
  private List<String> types = List.of();

  @Option(
      names = "--sizes",
      split = ",",
      defaultValue = "10,1000,10000,100000,1000000",
      description = "numbers of entries (${DEFAULT-VALUE})")
  private List<String> sizes = List.of();

  @Option(
      names = "--libraries",
      split = ",",
      defaultValue = "stablecut,akka",
      description = "libraries (${DEFAULT-VALUE})")
  private List<String> libraries = List.of();

  @Option(
      names = "--operations",
      defaultValue = ".*",
      description = "a pattern of add, change, remove, get (${DEFAULT-VALUE})")
  private String operations = ".*";

  @Option(
      names = "--forks",
      defaultValue = "2",
      description = "JVMs per measurement (${DEFAULT-VALUE})")
  private int forks;

  @Option(names = "--millis", defaultValue = "200", description = "per round (${DEFAULT-VALUE})")
  private int millis;

  @Override
  public Integer call() throws Exception {
    System.out.println(Machine.describe(Path.of("")));
    if (types.contains("set")) {
      System.out.println("set_size,encoded_bytes_per_element");
      for (String size : sizes) {
        int count = Integer.parseInt(size);
        int bytes = new StablecutTargets.Set(Samples.of(count, 'p').all()).encodedBytes();
        System.out.printf(Locale.ROOT, "%d,%.1f%n", count, (double) bytes / count);
      }
    }
    System.out.println(
        "type,operation,size," + String.join(",", libraries) + ",ratio,nanos_by_log2");
    for (String type : types) {
      String[] of = type.equals("counter") ? new String[] {"1"} : sizes.toArray(String[]::new);
      print(new Runner(options(type, of)).run());
    }
    return 0;
  }

  private Options options(String type, String... of) {
    return new OptionsBuilder()
        .include("TypeOperations\\.(" + operations + ")$")
        .param("type", type)
        .param("library", libraries.toArray(String[]::new))
        .param("size", of)
        .forks(forks)
        .warmupIterations(WARM_UP_ROUNDS)
        .measurementIterations(ROUNDS)
        .warmupTime(TimeValue.milliseconds(millis))
        .measurementTime(TimeValue.milliseconds(millis))
        .jvmArgsAppend("-Xmx2g")
        .verbosity(VerboseMode.SILENT)
        .build();
  }

  private void print(Collection<RunResult> results) {
    Map<String, double[]> rows = new TreeMap<>();
    for (RunResult result : results) {
      BenchmarkParams params = result.getParams();
      String operation = result.getPrimaryResult().getLabel();
      String row =
          "%s,%s,%9s".formatted(params.getParam("type"), operation, params.getParam("size"));
      double[] nanos = rows.computeIfAbsent(row, key -> new double[libraries.size()]);
      nanos[libraries.indexOf(params.getParam("library"))] =
          result.getPrimaryResult().getStatistics().getMin();
    }
    rows.forEach(
        (row, nanos) -> {
          StringBuilder line = new StringBuilder(row.replace(" ", ""));
          for (double one : nanos) {
            line.append(",%.1f".formatted(one));
          }
          int size = Integer.parseInt(row.substring(row.lastIndexOf(',') + 1).strip());
          line.append(",%.2f".formatted(nanos[0] / nanos[nanos.length - 1]));
          System.out.println(
              line.append(",%.1f".formatted(nanos[0] * Math.log(2) / Math.log(size + 1))));
        });
  }
}
