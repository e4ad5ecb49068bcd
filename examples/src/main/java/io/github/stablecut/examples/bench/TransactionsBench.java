package io.github.stablecut.examples.bench;

import io.github.stablecut.examples.bench.commit.CommitRounds;
import io.github.stablecut.examples.bench.commit.CommitTarget;
import io.github.stablecut.examples.bench.commit.StoreTransactions;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.testing.history.HistoryRecorder;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures transactions of several objects and of several partitions compared with those of one, at
 * equal bytes: {@code single} writes one register, {@code multi} four on one partition, {@code
 * half} one in a store of two partitions, {@code two} one on each of two partitions. Rounds
 * alternate; the median round of each is printed.
 */
@Command(
    name = "transactions",
    description = "Durable transactions of several objects and partitions per second")
final class TransactionsBench implements Callable<Integer> {
  private static final Map<String, StoreTransactions.Shape> SHAPES = new LinkedHashMap<>();

  static {
    SHAPES.put("single", new StoreTransactions.Shape(1, 1, 1));
    SHAPES.put("multi", new StoreTransactions.Shape(1, 1, 4));
    SHAPES.put("half", new StoreTransactions.Shape(2, 1, 1));
    SHAPES.put("two", new StoreTransactions.Shape(2, 2, 2));
  }

  @Option(
      names = "--threads",
      split = ",",
      defaultValue = "1,8,64",
      description = "numbers of threads (${DEFAULT-VALUE})")
  private List<Integer> threads = List.of();

  @Option(
      names = "--targets",
      split = ",",
      defaultValue = "single,multi,half,two",
      description = "what to measure (${DEFAULT-VALUE})")
  private List<String> targets = List.of();

  @Option(names = "--rounds", defaultValue = "5", description = "rounds (${DEFAULT-VALUE})")
  private int rounds;

  @Option(names = "--millis", defaultValue = "1500", description = "per round (${DEFAULT-VALUE})")
  private int millis;

  @Option(
      names = "--bytes",
      defaultValue = "300",
      description = "bytes of a transaction (${DEFAULT-VALUE})")
  private int bytes;

  @Mixin private Workspace workspace = new Workspace();

  @Mixin private Recording recording = new Recording();

  @Override
  public Integer call() throws Exception {
    Optional<HistoryRecorder> recorder = recording.begin("transactions");
    Path directory = workspace.create();
    Map<String, CommitTarget> open = new LinkedHashMap<>();
    try {
      for (String name : targets) {
        open.put(name, new StoreTransactions(directory.resolve(name), name, shape(name), recorder));
      }
      System.out.println(Machine.describe(directory));
      System.out.println(CommitRounds.header("transaction"));
      CommitRounds compared = new CommitRounds(1, rounds, bytes, millis * 1_000_000L);
      for (int count : threads) {
        compared.print(count, open);
      }
    } finally {
      open.values().forEach(CommitTarget::close);
      FileTrees.delete(directory);
    }
    return recorder.map(Recording::end).orElse(0);
  }

  private static StoreTransactions.Shape shape(String name) {
    StoreTransactions.Shape shape = SHAPES.get(name);
    if (shape == null) {
      throw new IllegalArgumentException("no target is called " + name);
    }
    return shape;
  }
}
