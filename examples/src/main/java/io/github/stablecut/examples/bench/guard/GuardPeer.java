package io.github.stablecut.examples.bench.guard;

import io.github.stablecut.examples.ChildJvm;
import io.github.stablecut.examples.bench.commit.RoundServer;
import io.github.stablecut.examples.bench.counter.CounterTarget;
import io.github.stablecut.examples.bench.counter.RawCounters;
import io.github.stablecut.examples.bench.counter.RocksCounters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.rocksdb.RocksDBException;

/**
 * A process that runs rounds of one bench on one target. Its arguments are the bench, the target, a
 * directory, and the {@link NodePlace} of a node of a cluster.
 */
public final class GuardPeer {
  static final int COUNTERS = 1_000;

  /** The percentage of reads, by bench. */
  private static final Map<String, Integer> READS =
      Map.of("commit", 0, "mixed", 80, "wire", 80, "wire-updates", 0, "replicas", 0);

  private GuardPeer() {}

  /** The names of the benches. */
  public static Set<String> benches() {
    return new TreeSet<>(READS.keySet());
  }

  /** Whether the operations of a bench are requests to a server. */
  static boolean isWire(String bench) {
    return bench.startsWith("wire");
  }

  /** Whether the operations of a bench are requests to a cluster. */
  public static boolean isCluster(String bench) {
    return bench.equals("replicas");
  }

  /** The percentage of reads of a bench. */
  static int reads(String bench) {
    return READS.getOrDefault(bench, 0);
  }

  /** The targets that a bench compares the store with. */
  public static List<String> peers(String bench) {
    if (isCluster(bench)) {
      return List.of();
    }
    return isWire(bench) ? List.of("echo") : List.of("raw", "rocksdb");
  }

  /** The command that starts the process, with the classes of a subject. */
  static List<String> command(Subject subject, String bench, Path directory) {
    return new ArrayList<>(
        ChildJvm.withClassPath(
            subject.classPath(),
            List.of("-Xmx1g", "-Dstablecut.log=ERROR"),
            GuardPeer.class,
            bench,
            subject.target(),
            directory.toString()));
  }

  /** Serves rounds of the target, or requests. */
  public static void main(String[] args) throws Exception {
    Path path = Path.of(args[2]);
    if (isWire(args[0])) {
      GuardServer.serve(args[1], path, null);
      return;
    }
    if (isCluster(args[0])) {
      GuardServer.serve(
          args[1], path, NodePlace.ofArguments(List.of(args).subList(3, args.length)));
      return;
    }
    CounterTarget target = open(args[1], path);
    RoundServer.serve(Map.of(args[1], new CounterLoad(target, COUNTERS, reads(args[0]))));
  }

  private static CounterTarget open(String target, Path path) throws IOException, RocksDBException {
    return switch (target) {
      case "store" -> new AnyStoreCounters(path, COUNTERS);
      case "raw" -> new RawCounters(path, COUNTERS);
      case "rocksdb" -> new RocksCounters(path);
      default -> throw new IllegalArgumentException("no target is called " + target);
    };
  }
}
