package io.github.stablecut.examples.bench;

import io.github.stablecut.examples.bench.commit.CommitRound;
import io.github.stablecut.examples.bench.commit.CommitRounds;
import io.github.stablecut.examples.bench.commit.CommitRunner;
import io.github.stablecut.examples.bench.commit.PeerProcess;
import io.github.stablecut.examples.bench.commit.RecordsPeer;
import io.github.stablecut.file.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Reads and conditional updates of a table's records, by number of threads, with the sync policies
 * batch and group: the two tables of CASSANDRA-13530. Each system and policy runs in its own
 * process. Short rounds alternate between them; the median round of each is printed.
 */
@Command(
    name = "records",
    description = "Reads and conditional updates of records, by number of threads and sync policy")
final class RecordsBench implements Callable<Integer> {
  private static final List<String> POLICIES = List.of("batch", "group");
  private static final List<String> OPERATIONS = List.of("select", "update");

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

  @Option(
      names = "--slow",
      defaultValue = "8",
      description =
          "minimum milliseconds of a sync on an emulated slow disk; 0 for none (${DEFAULT-VALUE})")
  private int slow;

  @Option(
      names = "--peer",
      description =
          "NAME=PROGRAM to run rounds of another system; its arguments are a directory, a policy and the window in milliseconds")
  private Map<String, Path> peers = new LinkedHashMap<>();

  @Option(names = "--rounds", defaultValue = "3", description = "rounds (${DEFAULT-VALUE})")
  private int rounds;

  @Option(names = "--millis", defaultValue = "800", description = "per round (${DEFAULT-VALUE})")
  private int millis;

  @Option(names = "--bytes", defaultValue = "100", description = "per record (${DEFAULT-VALUE})")
  private int bytes;

  @Option(names = "--plots", description = "where to draw records-select, -update and -slow")
  private @Nullable Path plots;

  @Mixin private Workspace workspace = new Workspace();

  private final Map<String, PeerProcess> processes = new LinkedHashMap<>();
  private final Map<String, CommitRunner> runners = new LinkedHashMap<>();

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    try {
      start(directory);
      System.out.println(Machine.describe(directory));
      System.out.println(CommitRounds.header("operation"));
      CommitRounds compared = new CommitRounds(1, rounds, bytes, millis * 1_000_000L);
      Map<Integer, Map<String, CommitRound>> all = new TreeMap<>();
      for (int count : threads) {
        all.put(count, compared.run(count, runners));
      }
      if (plots != null) {
        plot(all, Files.createDirectories(plots));
      }
    } finally {
      processes.values().forEach(PeerProcess::close);
      FileTrees.delete(directory);
    }
    return 0;
  }

  /** Starts a process per system and policy. */
  private void start(Path directory) throws IOException, InterruptedException {
    for (String policy : POLICIES) {
      start(
          "stablecut-" + policy, RecordsPeer.command(directory.resolve(policy), policy, window, 0));
      for (Map.Entry<String, Path> peer : peers.entrySet()) {
        String name = peer.getKey() + "-" + policy;
        String program = peer.getValue().toAbsolutePath().toString();
        start(name, List.of(program, directory.resolve(name).toString(), policy, "" + window));
      }
      if (slow > 0) {
        start(
            "slow-" + policy,
            RecordsPeer.command(directory.resolve("slow-" + policy), policy, window, slow));
      }
    }
    for (PeerProcess process : processes.values()) {
      process.await();
    }
    for (String operation : OPERATIONS) {
      processes.forEach(
          (name, process) -> {
            if (operation.equals("update") || !name.startsWith("slow-")) {
              runners.put(operation + "-" + name, process.target(operation));
            }
          });
    }
  }

  private void start(String name, List<String> command) throws IOException {
    processes.put(name, PeerProcess.start(name, command));
  }

  private static void plot(Map<Integer, Map<String, CommitRound>> all, Path into)
      throws IOException {
    plot(all, into.resolve("records-select"), "reads of records", "select-", false);
    plot(all, into.resolve("records-update"), "conditional updates", "update-", false);
    plot(
        all,
        into.resolve("records-slow"),
        "conditional updates, emulated slow disk",
        "update-slow-",
        true);
  }

  private static void plot(
      Map<Integer, Map<String, CommitRound>> all,
      Path into,
      String title,
      String prefix,
      boolean isSlow)
      throws IOException {
    Plot plot = Plot.ofThreads(title, "per second");
    boolean isEmpty = true;
    for (String name : names(all)) {
      if (name.startsWith(prefix) && name.contains("slow-") == isSlow) {
        List<Double> xs = new ArrayList<>();
        List<Double> ys = new ArrayList<>();
        all.forEach(
            (count, rounds) ->
                Optional.ofNullable(rounds.get(name))
                    .ifPresent(
                        round -> {
                          xs.add(Math.log(count) / Math.log(2));
                          ys.add(Math.max(1, round.commitsPerSecond()));
                        }));
        plot.add(name.substring(prefix.length()), xs, ys);
        isEmpty = false;
      }
    }
    if (!isEmpty) {
      plot.write(into);
    }
  }

  private static List<String> names(Map<Integer, Map<String, CommitRound>> all) {
    return all.values().stream().flatMap(some -> some.keySet().stream()).distinct().toList();
  }
}
