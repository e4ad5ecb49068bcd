package io.github.stablecut.examples.bench;

import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.examples.bench.replica.ReplicasNodes;
import io.github.stablecut.examples.bench.replica.ReplicasPeer;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures how fast a replica catches up, compared with copying a file of the same size. A node is
 * down while the others write, and restarts, first with its directory, then without. Three nodes,
 * each in its own process, share this machine and its disk. The time begins when the node's
 * heartbeats are received again, and ends when its replica votes and lacks nothing.
 */
@Command(name = "catch-up", description = "A replica that catches up, compared with a copied file")
final class CatchUpBench implements Callable<Integer> {
  private static final int VALUE_BYTES = 64 << 10;
  private static final int WRITERS = 8;
  private static final int POLL_MILLIS = 5;

  @Option(
      names = "--megabytes",
      defaultValue = "256",
      description = "written while the node is down (${DEFAULT-VALUE})")
  private int megabytes;

  @Option(names = "--rounds", defaultValue = "3", description = "${DEFAULT-VALUE}")
  private int rounds;

  @Mixin private Workspace workspace = new Workspace();

  private final Random random = new Random(1);

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    try {
      System.out.println(Machine.describe(directory));
      System.out.println("what,MiB,seconds,MiB per second,file copy's MiB per second,ratio");
      for (int round = 0; round < rounds; round++) {
        Path own = directory.resolve("round-" + round);
        try (ReplicasNodes nodes = ReplicasNodes.start(own, 3)) {
          awaitNoLag(nodes);
          nodes.endLast();
          write(nodes.client());
          print("with its directory", megabytes, secondsOf(nodes, false), own);
          nodes.endLast();
          print("without", megabytes, secondsOf(nodes, true), own);
        }
        FileTrees.delete(own);
      }
    } finally {
      FileTrees.delete(directory);
    }
    return 0;
  }

  private static void print(String what, int mebibytes, double seconds, Path directory)
      throws IOException {
    double copied = mebibytes / secondsOfFile(directory, mebibytes);
    double caughtUp = mebibytes / seconds;
    System.out.printf(
        "%s,%d,%.2f,%.0f,%.0f,%.2f%n",
        what, mebibytes, seconds, caughtUp, copied, caughtUp / copied);
  }

  private static ReplicasPeer.Lag poll(ReplicasNodes nodes) throws Exception {
    Thread.sleep(POLL_MILLIS);
    return nodes.lag();
  }

  private static void awaitNoLag(ReplicasNodes nodes) throws Exception {
    while (!poll(nodes).isNone()) {
      // Polls only the leader, every few milliseconds.
    }
  }

  /** Starts the stopped node, and waits until it has caught up. */
  private static double secondsOf(ReplicasNodes nodes, boolean isEmpty) throws Exception {
    while (poll(nodes).reachable() != 1) {
      // Wait until the leader has noticed that the node is down.
    }
    nodes.restartLast(isEmpty);
    while (poll(nodes).reachable() != 2) {
      // The node is still starting.
    }
    long startNanos = System.nanoTime();
    awaitNoLag(nodes);
    return (System.nanoTime() - startNanos) / 1e9;
  }

  /** Writes incompressible values, each to its own object. */
  private void write(Store client) throws Exception {
    int values = (int) (((long) megabytes << 20) / VALUE_BYTES);
    byte[] bytes = new byte[VALUE_BYTES];
    random.nextBytes(bytes);
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    List<Future<?>> done = new ArrayList<>();
    for (int i = 0; i < values; i++) {
      RegisterKey<Bytes> key = Key.register("bench", "v" + i, Codec.bytes());
      done.add(writers.submit(() -> client.update(key.assign(Bytes.wrap(bytes)))));
    }
    for (Future<?> each : done) {
      each.get();
    }
    writers.shutdown();
  }

  /** The time to copy and sync a file. */
  private static double secondsOfFile(Path directory, int mebibytes) throws IOException {
    Path from = directory.resolve("from");
    Path to = directory.resolve("to");
    ByteBuffer mebibyte = ByteBuffer.wrap(new byte[1 << 20]);
    new Random(2).nextBytes(mebibyte.array());
    try (FileChannel source =
            FileChannel.open(
                from,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE,
                StandardOpenOption.READ,
                StandardOpenOption.DELETE_ON_CLOSE);
        FileChannel target =
            FileChannel.open(
                to,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE)) {
      for (int i = 0; i < mebibytes; i++) {
        source.write(mebibyte.rewind());
      }
      source.force(true);
      long startNanos = System.nanoTime();
      for (long at = 0; at < source.size(); ) {
        at += source.transferTo(at, source.size() - at, target);
      }
      target.force(true);
      return (System.nanoTime() - startNanos) / 1e9;
    }
  }
}
