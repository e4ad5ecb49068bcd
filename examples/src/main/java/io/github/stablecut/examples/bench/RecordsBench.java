package io.github.stablecut.examples.bench;

import io.github.stablecut.file.FileTrees;
import io.github.stablecut.option.Durability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Reads and conditional updates of a table's records, by number of threads, with the sync policies
 * batch and group: the two tables of CASSANDRA-13530. Short rounds alternate between the targets,
 * and the median round of each is printed.
 */
@Command(
    name = "records",
    description = "Reads and conditional updates of records, by number of threads and sync policy")
final class RecordsBench implements Callable<Integer> {
  @Option(
      names = "--threads",
      split = ",",
      defaultValue = "1,2,4,8,16,32,64,128,256",
      description = "numbers of threads (${DEFAULT-VALUE})")
  private List<Integer> threads = List.of();

  @Option(
      names = "--window",
      defaultValue = "10",
      description = "the group policy's window in milliseconds (${DEFAULT-VALUE})")
  private int window;

  @Option(names = "--rounds", defaultValue = "3", description = "rounds (${DEFAULT-VALUE})")
  private int rounds;

  @Option(names = "--millis", defaultValue = "800", description = "per round (${DEFAULT-VALUE})")
  private int millis;

  @Option(names = "--bytes", defaultValue = "100", description = "per record (${DEFAULT-VALUE})")
  private int bytes;

  @Mixin private Workspace workspace = new Workspace();

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    Map<String, CommitTarget> open = new LinkedHashMap<>();
    try {
      Map<String, Durability> policies = new LinkedHashMap<>();
      policies.put("batch", Durability.batch());
      policies.put("group", Durability.group(Duration.ofMillis(window)));
      policies.forEach(
          (name, durability) -> {
            open.put(
                "select-" + name,
                new RecordTarget(directory.resolve("select-" + name), durability, true));
            open.put(
                "update-" + name,
                new RecordTarget(directory.resolve("update-" + name), durability, false));
          });
      System.out.println(Machine.describe(directory));
      System.out.println("threads,target,operations_per_s,p50_us,p99_us,syncs_per_operation");
      CommitRounds compared = new CommitRounds(1, rounds, bytes, millis * 1_000_000L);
      for (int count : threads) {
        compared.print(count, open);
      }
    } finally {
      open.values().forEach(CommitTarget::close);
      FileTrees.delete(directory);
    }
    return 0;
  }
}
