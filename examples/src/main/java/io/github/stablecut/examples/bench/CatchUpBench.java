package io.github.stablecut.examples.bench;

import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
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
 * How fast a copy gets what it lacks, beside the copy of a file of that size: a node is away while
 * the others write, and comes back, first with its directory, then without. Three nodes, each in a
 * process of its own, on this machine and its disk. Until the node is heard again does not count;
 * until its copy votes and lacks nothing does.
 */
@Command(
    name = "catch-up",
    description = "A replica that gets what it lacks, beside a file replica")
final class CatchUpBench implements Callable<Integer> {
  private static final int VALUE_BYTES = 64 << 10;
  private static final int WRITERS = 8;
  private static final int POLL_MILLIS = 5;

  @Option(
      names = "--megabytes",
      defaultValue = "256",
      description = "that are written while the node is away (${DEFAULT-VALUE})")
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
      System.out.println("what,MiB,seconds,MiB per second,file replica's MiB per second,ratio");
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
      // Only the leader is asked, every few milliseconds.
    }
  }

  /** Starts the node that is away, and waits until it has everything. */
  private static double secondsOf(ReplicasNodes nodes, boolean isEmpty) throws Exception {
    while (poll(nodes).heard() != 1) {
      // Until the leader knows that it is away.
    }
    nodes.restartLast(isEmpty);
    while (poll(nodes).heard() != 2) {
      // It is being started.
    }
    long begun = System.nanoTime();
    awaitNoLag(nodes);
    return (System.nanoTime() - begun) / 1e9;
  }

  /** Writes values that can't be compressed, each to an object of its own. */
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

  /** How long a file takes to be copied, and synced. */
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
      long begun = System.nanoTime();
      for (long at = 0; at < source.size(); ) {
        at += source.transferTo(at, source.size() - at, target);
      }
      target.force(true);
      return (System.nanoTime() - begun) / 1e9;
    }
  }
}
