package io.github.stablecut.examples.bench;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.ClusterNode;
import io.github.stablecut.cluster.ClusterSettings;
import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionMove;
import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.client.ClientConnection;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.examples.bench.wire.FreePorts;
import io.github.stablecut.examples.bench.wire.WireCluster;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures the cost of a cluster of two nodes in this process compared with an embedded store of
 * two partitions. {@code embedded} is that store. In {@code local} and {@code remote} one node has
 * both partitions, and requests go to that node or to the other one. In {@code spread} each node
 * has one partition. Then a partition is filled and moved while a client increments counters.
 *
 * <p>A client of {@code Stablecut.connect} asks the owner of an object, whichever node it was
 * given. A client of AntidoteDB's protocol asks the node that it is connected to, so {@code hop}
 * shows the cost of forwarding, compared with a {@code proxy} of Netty.
 *
 * <p>Through the wire, {@code alone} is a single server, {@code owner} the node of a cluster of
 * three that owns the partition, and {@code hop} another node. The difference between {@code owner}
 * and {@code alone} is the cost of a cluster to clients that ask the right node.
 */
@Command(name = "cluster", description = "Requests to other nodes, and moves of partitions")
final class ClusterBench implements Callable<Integer> {
  private static final int KEYS = 500;

  /** Enough keys for both partitions to have some, almost certainly. */
  private static final int KEYS_OF_BOTH = 12;

  private static final int VALUE_BYTES = 4_000;

  @Option(names = "--requests", defaultValue = "3000", description = "each (${DEFAULT-VALUE})")
  private int requests;

  @Option(names = "--rounds", defaultValue = "3", description = "rounds (${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--megabytes",
      defaultValue = "100",
      description = "size of the moved partitions (${DEFAULT-VALUE})")
  private int megabytes;

  @Mixin private Workspace workspace = new Workspace();

  @Override
  public Integer call() throws Exception {
    Path directory = workspace.create();
    List<Integer> ports = FreePorts.find(2);
    StoreOptions options = StoreOptions.defaults().withPartitions(2);
    try (Store embedded = Stablecut.open(directory.resolve("embedded"), options);
        ClusterNode one = join("n1", directory, options, ports, 0);
        ClusterNode two = join("n2", directory, options, ports, 1)) {
      Store first = one.store();
      Store second = two.store();
      System.out.println(Machine.describe(directory));
      System.out.println("request,where,p50_us,p99_us");
      measureBoth(Map.of("embedded", embedded, "spread", first));
      for (PartitionLocation place : one.partitions()) {
        moveTo(one, place.partition(), "n1");
      }
      measureSingle(Map.of("embedded", embedded, "local", first, "remote", second));
      fill(first);
      System.out.println("partition,bytes,seconds,seconds_per_gb,pause_ms,longest_update_ms");
      for (PartitionLocation place : one.partitions()) {
        measureMove(one, place.partition());
      }
      measureWire(directory);
    } finally {
      FileTrees.delete(directory);
    }
    return 0;
  }

  private static ClusterNode join(
      String name, Path directory, StoreOptions options, List<Integer> ports, int number) {
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    return ClusterNode.join(
        directory.resolve(name),
        options,
        new ClusterSettings(
            name, Endpoint.loopback(ports.get(number)), seeds, 2, 0, Long.MAX_VALUE));
  }

  private static CounterKey counter(int number) {
    return Key.counter("bench", "k" + number);
  }

  @CanIgnoreReturnValue
  private Map<String, Map<String, Histogram>> measureSingle(Map<String, Store> stores) {
    SplittableRandom random = new SplittableRandom(1);
    var reads = measure("read", stores, store -> store.read(counter(random.nextInt(KEYS))));
    var updates =
        measure(
            "update", stores, store -> store.update(counter(random.nextInt(KEYS)).increment(1)));
    return Map.of("read", reads, "update", updates);
  }

  private void measureWire(Path directory) throws Exception {
    try (WireCluster cluster = WireCluster.start(directory, FreePorts.find(3))) {
      System.out.println("request through the wire,where,p50_us,p99_us");
      measureSingle(cluster.clients())
          .forEach(
              (what, all) ->
                  System.out.printf(
                      "# a %s at its owner takes %+.1f %% more than one at a single server, at the median%n",
                      what, 100 * (median(all, "owner") / median(all, "alone") - 1)));
      SplittableRandom random = new SplittableRandom(1);
      measure(
          "read with AntidoteDB's protocol",
          cluster.connections(),
          connection -> read(connection, random.nextInt(KEYS)));
    }
  }

  private static Response read(ClientConnection connection, int number) {
    CounterKey key = counter(number);
    try {
      return connection.call(
          new Request.StaticRead(
              Optional.empty(),
              List.of(new BoundObject(key.key(), WireType.COUNTER, key.bucket()))));
    } catch (IOException e) {
      throw new UncheckedIOException("a node does not answer", e);
    }
  }

  private static double median(Map<String, Histogram> all, String where) {
    return Objects.requireNonNull(all.get(where)).getValueAtPercentile(50);
  }

  private void measureBoth(Map<String, Store> stores) {
    Update[] updates = new Update[KEYS_OF_BOTH];
    for (int i = 0; i < updates.length; i++) {
      updates[i] = counter(i).increment(1);
    }
    measure("transaction over both partitions", stores, store -> store.update(updates));
  }

  /** Measures in alternating rounds, so that other load of the machine affects all stores. */
  @CanIgnoreReturnValue
  private <T> Map<String, Histogram> measure(
      String what, Map<String, T> stores, Function<T, ?> request) {
    Map<String, Histogram> all = new TreeMap<>();
    for (int round = 0; round <= rounds; round++) {
      for (Map.Entry<String, T> store : stores.entrySet()) {
        Histogram some = new Histogram(60_000_000_000L, 3);
        for (int i = 0; i < requests; i++) {
          long startNanos = System.nanoTime();
          Objects.requireNonNull(request.apply(store.getValue()));
          some.recordValue(System.nanoTime() - startNanos);
        }
        if (round > 0) { // the first one warms up
          all.computeIfAbsent(store.getKey(), name -> new Histogram(60_000_000_000L, 3)).add(some);
        }
      }
    }
    all.forEach(
        (where, some) ->
            System.out.printf(
                "%s,%s,%.1f,%.1f%n",
                what,
                where,
                some.getValueAtPercentile(50) / 1e3,
                some.getValueAtPercentile(99) / 1e3));
    return all;
  }

  private void fill(Store store) {
    byte[] value = new byte[VALUE_BYTES];
    SplittableRandom random = new SplittableRandom(2);
    List<Update> batch = new ArrayList<>();
    for (long written = 0; written < megabytes * 1_000_000L; written += VALUE_BYTES) {
      random.nextBytes(value);
      RegisterKey<Bytes> key = Key.register("filled", Long.toString(written), Codec.bytes());
      batch.add(key.assign(Bytes.copyOf(value)));
      if (batch.size() == 100) {
        store.update(batch.toArray(Update[]::new));
        batch.clear();
      }
    }
    store.checkpoint();
  }

  @CanIgnoreReturnValue
  private static PartitionMove moveTo(ClusterNode node, int partition, String to)
      throws InterruptedException {
    if (node.partitions().get(partition).node().equals(to)) {
      return PartitionMove.builder(to, to, PartitionMove.State.DONE).build();
    }
    long number = node.move(partition, to);
    while (true) {
      for (PartitionMove move : node.partitions().get(partition).moves()) {
        if (move.number() == number && move.state() == PartitionMove.State.FAILED) {
          throw new IllegalStateException(move.problem());
        }
        if (move.number() == number && move.state() == PartitionMove.State.DONE) {
          return move;
        }
      }
      Thread.sleep(10);
    }
  }

  private static void measureMove(ClusterNode node, int partition) throws InterruptedException {
    Store store = node.store();
    AtomicBoolean isOver = new AtomicBoolean();
    Histogram updates = new Histogram(60_000_000_000L, 3);
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; !isOver.get(); i++) {
                long startNanos = System.nanoTime();
                store.update(counter(i % KEYS).increment(1));
                updates.recordValue(System.nanoTime() - startNanos);
              }
            },
            "writer");
    writer.start();
    long startNanos = System.nanoTime();
    PartitionMove move = moveTo(node, partition, "n2");
    double took = (System.nanoTime() - startNanos) / 1e9;
    Thread.sleep(500);
    isOver.set(true);
    writer.join();
    System.out.printf(
        "%d,%d,%.2f,%.1f,%d,%.0f%n",
        partition,
        move.totalBytes(),
        took,
        took * 1e9 / Math.max(1, move.totalBytes()),
        move.pause().toMillis(),
        updates.getMaxValue() / 1e6);
  }
}
