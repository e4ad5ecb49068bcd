package io.github.stablecut.examples.bench;

import io.github.stablecut.examples.bench.commit.CommitRound;
import io.github.stablecut.examples.bench.commit.CommitRounds;
import io.github.stablecut.examples.bench.commit.CommitTarget;
import io.github.stablecut.examples.bench.commit.JournalLog;
import io.github.stablecut.examples.bench.commit.RawLog;
import io.github.stablecut.examples.bench.commit.RocksLog;
import io.github.stablecut.examples.bench.commit.StoreLog;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.journal.SegmentLayout;
import io.github.stablecut.journal.SyncPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.rocksdb.RocksDBException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures durable commits: the journal compared with a plain loop that appends to a file ({@code
 * append}), the same loop on a file prefilled with zeros ({@code raw}), and RocksDB. Short rounds
 * alternate between the targets; the median round of each is printed.
 */
@Command(name = "commit", description = "Durable commits per second, by number of threads")
final class CommitBench implements Callable<Integer> {
  private static final int ZEROS_AHEAD_BYTES = 1 << 20;
  private static final int WARM_UP_THREADS = 32;
  private static final long WARM_UP_NANOS = 3_000_000_000L;

  @Option(
      names = "--threads",
      split = ",",
      defaultValue = "1,8,32,64,256",
      description = "numbers of threads (${DEFAULT-VALUE})")
  private List<Integer> threads = List.of();

  @Option(
      names = "--targets",
      split = ",",
      defaultValue = "append,raw,journal,store,rocksdb",
      description =
          "what to measure (${DEFAULT-VALUE}); counter is a store of counters; journal-files and store-files have plain files, whatever the JVM's flags")
  private List<String> targets = List.of();

  @Option(names = "--rounds", defaultValue = "5", description = "rounds (${DEFAULT-VALUE})")
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
      for (String name : targets) {
        open.put(name, open(name, directory.resolve(name)));
      }
      System.out.println(Machine.describe(directory));
      System.out.println(CommitRounds.header("commit"));
      for (CommitTarget target : open.values()) {
        warmUp(target);
      }
      CommitRounds compared = new CommitRounds(0, rounds, bytes, millis * 1_000_000L);
      for (int count : threads) {
        compared.print(count, open);
      }
    } finally {
      open.values().forEach(CommitTarget::close);
      FileTrees.delete(directory);
    }
    return 0;
  }

  private static void warmUp(CommitTarget target) throws InterruptedException {
    CommitRound round = CommitRound.run(target, WARM_UP_THREADS, 100, WARM_UP_NANOS);
    if (round.commitsPerSecond() == 0) {
      throw new IllegalStateException("nothing was committed");
    }
  }

  private static CommitTarget open(String name, Path path) throws IOException, RocksDBException {
    return switch (name) {
      case "append" -> new RawLog(path, 0);
      case "raw" -> new RawLog(path, ZEROS_AHEAD_BYTES);
      case "journal" -> new JournalLog(path, new SyncPolicy.Batch());
      case "journal-files" -> new JournalLog(path, new SyncPolicy.Batch(), SegmentLayout.FILES);
      case "store" -> StoreLog.registers(path);
      case "store-files" -> StoreLog.registersInFiles(path);
      case "counter" -> StoreLog.counters(path);
      case "rocksdb" -> new RocksLog(path);
      default -> throw new IllegalArgumentException("no target is called " + name);
    };
  }
}
